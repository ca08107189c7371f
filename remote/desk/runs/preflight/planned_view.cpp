// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/runs/preflight/planned_view.h>

namespace rankscope::inline runs {
namespace {

// As the plan numbers them for the driver: "0,2".
void add_indices(const RankPlan& rank, std::set<int>& indices) {
    const auto visible = rank.env.find("CUDA_VISIBLE_DEVICES");
    for (const auto word : split(visible != rank.env.end() ? visible->second : std::string(), ',')) {
        if (const auto index = parse_number<int>(word)) {
            indices.insert(*index);
        }
    }
}

}  // namespace

void set_planned(NodeView& view, const LaunchPlan& plan, const Job& job, const std::string& machine) {
    view.native = job.train.has_value();
    view.precision = train_word(job, "precision");
    view.engine_cuda = view.native ? EngineParts::of_bundle(machine).cuda_version : std::string();
    for (const auto& planned : plan.nodes) {
        if (planned.node == view.name) {
            view.address = planned.address;
            view.interface_name = planned.interface_name;
            view.ranks = planned.local_world_size;
        }
    }
    for (const auto& rank : plan.ranks) {
        if (rank.node == view.name && rank.device != "cpu") {
            view.gpus = true;
            add_indices(rank, view.gpu_indices);
        }
    }
    for (const auto* env :
         {&job.env, job.node_env.count(view.name) > 0 ? &job.node_env.at(view.name) : nullptr}) {
        if (env != nullptr) {
            const bool own = env != &job.env;
            for (const auto& [name, value] : *env) {
                view.env[name] = value;  // the node's own wins
                view.env_keys[name] = (own ? "node_env." + view.name + '.' : "env.") + name;
            }
        }
    }
}

}  // namespace rankscope::inline runs
