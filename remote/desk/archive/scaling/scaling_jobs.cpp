// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/scaling/scaling_jobs.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "Scaling";
constexpr std::int64_t kEndlessEpochs = 1'000'000'000;
constexpr std::int64_t kUsualBatch = 100;  ///< where the job does not say (docs/job-keys.md)

Result<void> divide_batch(nlohmann::json& train, int ranks, int largest) {
    const auto given = train.find("batch_size");
    const std::int64_t batch =
        given != train.end() && given->is_number_integer() ? given->get<std::int64_t>() : kUsualBatch;
    const std::int64_t all = batch * largest;
    if (all % ranks != 0) {
        return Failure{"bad-field", "train.batch_size",
                       text(kContext, "A batch of %1 cannot be divided between %2 ranks.",
                            {std::to_string(all), std::to_string(ranks)}),
                       text(kContext, "Choose other numbers of ranks, or weak scaling."), ""};
    }
    train["batch_size"] = all / ranks;
    return {};
}

}  // namespace

const char* to_string(ScalingMode mode) {
    return mode == ScalingMode::Weak ? "weak" : "strong";
}

std::vector<int> scaling_sizes(int offered) {
    std::vector<int> sizes;
    for (int size = 1; size < offered && size > 0; size *= 2) {
        sizes.push_back(size);
    }
    if (offered > 0) {
        sizes.push_back(offered);
    }
    return sizes;
}

Result<Job> scaled_job(const Job& job, const LaunchPlan& offered, int ranks, int largest, ScalingMode mode) {
    if (ranks < 1 || ranks > offered.world_size) {
        return Failure{"bad-field", "ranks",
                       text(kContext, "The nodes of the job offer %1 ranks, not %2.",
                            {std::to_string(offered.world_size), std::to_string(ranks)}),
                       text(kContext, "Raise procs_per_node in the job, or add nodes."), ""};
    }
    if (mode == ScalingMode::Strong && !job.train) {
        return Failure{
            "bad-field", "command",
            text(kContext, "Strong scaling needs the batch of the native engine; this job runs a program."),
            text(kContext, "Choose weak scaling."), ""};
    }
    Job scaled = job;
    scaled.all_nodes = false;
    scaled.nodes.clear();
    scaled.procs_of_node.clear();
    scaled.procs_per_node = 0;
    int left = ranks;
    for (const NodePlan& node : offered.nodes) {
        const int taken = std::min(left, node.local_world_size);
        if (taken > 0) {
            scaled.nodes.push_back(node.node);
            scaled.procs_of_node[node.node] = taken;
            left -= taken;
        }
    }
    if (std::find(scaled.nodes.begin(), scaled.nodes.end(), scaled.master) == scaled.nodes.end()) {
        scaled.master.clear();
    }
    const auto is_gone = [&](const auto& entry) {
        return std::find(scaled.nodes.begin(), scaled.nodes.end(), entry.first) == scaled.nodes.end();
    };
    std::erase_if(scaled.devices, is_gone);
    std::erase_if(scaled.node_env, is_gone);
    std::erase_if(scaled.rank_env, [&](const auto& entry) { return entry.first >= ranks; });
    for (auto& [node, devices] : scaled.devices) {
        const auto most = static_cast<std::size_t>(scaled.procs_of_node[node]);
        if (devices.size() > most) {
            devices.resize(most);
        }
    }
    scaled.master_port = 0;  // the one of the size before may still be closing
    scaled.max_restarts = 0;
    // A single rank would otherwise take all processors, and compare badly with several.
    scaled.env.emplace("OMP_NUM_THREADS", "1");
    scaled.on_hang = OnHang::Stop;
    if (scaled.train) {
        (*scaled.train)["epochs"] = kEndlessEpochs;
        scaled.train->erase("checkpoint");
        scaled.train->erase("max_steps");  // the time ends it
        if (mode == ScalingMode::Strong) {
            if (auto divided = divide_batch(*scaled.train, ranks, largest); !divided) {
                return divided.failure();
            }
        }
    }
    return scaled;
}

}  // namespace rankscope::inline archive
