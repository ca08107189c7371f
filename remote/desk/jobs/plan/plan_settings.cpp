// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/plan_settings.h>

#include <string>

namespace rankscope::inline jobs {
namespace {

// The key of the job that sets a variable of a rank; empty: none.
std::string key_of(const Job& job, const RankPlan& rank, const std::string& name) {
    if (const auto own = job.rank_env.find(rank.rank);
        own != job.rank_env.end() && own->second.contains(name)) {
        return "rank_env";
    }
    if (const auto own = job.node_env.find(rank.node);
        own != job.node_env.end() && own->second.contains(name)) {
        return "node_env";
    }
    return job.env.contains(name) ? "env" : "";
}

// Variables that Rankscope itself sets.
bool is_own(const std::string& name) {
    return name == "NCCL_SOCKET_IFNAME" || name == "GLOO_SOCKET_IFNAME" ||
           name == "TORCH_NCCL_ASYNC_ERROR_HANDLING" || name == "NCCL_PROFILER_PLUGIN" ||
           name == "NCCL_RAS_ADDR";
}

}  // namespace

void add_plan(const LaunchPlan& plan, const Job* job, logs::SettingBook& book) {
    for (const auto& rank : plan.ranks) {
        for (const auto& [name, value] : rank.env) {
            const std::string key = job != nullptr ? key_of(*job, rank, name) : is_own(name) ? "" : "env";
            const bool secret = plan.secret_env.contains(name) || is_secret_name(name);
            book.add_rank(name, secret ? kSecretMask : value,
                          key.empty() ? logs::SettingOrigin::Rankscope : logs::SettingOrigin::Job, key,
                          rank.rank);
        }
    }
}

void add_node_settings(const LaunchPlan& plan, const NodeSettings& nodes, logs::SettingBook& book) {
    for (const auto& rank : plan.ranks) {
        const auto node = nodes.find(rank.node);
        if (node == nodes.end()) {
            continue;
        }
        for (const auto& setting : node->second) {
            if (!rank.env.contains(setting.name)) {
                const bool secret = plan.secret_env.contains(setting.name) || is_secret_name(setting.name);
                book.add_rank(setting.name, secret ? kSecretMask : setting.value, logs::SettingOrigin::Node,
                              setting.source, rank.rank);
            }
        }
    }
}

}  // namespace rankscope::inline jobs
