// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/plan/framework_environment.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::inline jobs {
namespace {

constexpr int kMostTold = 64;  // ranks: the list of all stands in the environment of each

constexpr std::array<std::string_view, 6> kFrameworkVariables{
    "JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID",
    "JAX_LOCAL_DEVICE_IDS",    "TF_CONFIG",         "PADDLE_DISTRI_BACKEND"};

// TensorFlow's description of the ranks, and of which of them this one is. Names of hosts are foreign text.
std::string tf_config(const std::string& endpoints, int rank) {
    nlohmann::json workers = nlohmann::json::array();
    for (const auto endpoint : split(endpoints, ',')) {
        workers.push_back(std::string(endpoint));
    }
    return nlohmann::json{{"cluster", {{"worker", workers}}}, {"task", {{"type", "worker"}, {"index", rank}}}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void add_framework_environment(RankPlan& rank, const LaunchPlan& plan, const std::string& endpoints, int gpus,
                               int ranks_of_node) {
    if (plan.world_size < 2) {
        return;
    }
    auto& env = rank.env;
    if (plan.master_port != 0) {
        const bool ipv6 = plan.master_addr.find(':') != std::string::npos;
        env["JAX_COORDINATOR_ADDRESS"] =
            (ipv6 ? '[' + plan.master_addr + ']' : plan.master_addr) + ':' + std::to_string(plan.master_port);
    }
    env["JAX_NUM_PROCESSES"] = std::to_string(plan.world_size);
    env["JAX_PROCESS_ID"] = std::to_string(rank.rank);
    if (gpus > 0) {
        // One process for all GPUs of its node has them all; several have one each.
        std::string devices = std::to_string(rank.local_rank);
        for (int i = 1; ranks_of_node == 1 && i < gpus; ++i) {
            devices += ',' + std::to_string(i);
        }
        env["JAX_LOCAL_DEVICE_IDS"] = devices;
    } else {
        env["PADDLE_DISTRI_BACKEND"] =
            "gloo";  // as Paddle's launcher does; its programs would not find each other
    }
    if (plan.world_size <= kMostTold) {
        env["TF_CONFIG"] = tf_config(endpoints, rank.rank);
    }
}

bool is_framework_variable(const std::string& name) {
    return std::find(kFrameworkVariables.begin(), kFrameworkVariables.end(), name) !=
           kFrameworkVariables.end();
}

}  // namespace rankscope::inline jobs
