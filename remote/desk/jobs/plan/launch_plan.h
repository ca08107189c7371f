// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <engine/models/training_cost.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/code_version.h>
#include <remote/desk/jobs/plan/training_advice.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/node_facts.h>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline jobs {

/// One rank of a run, exactly as it will be started.
/// Where a process of a job with `mpi: true` is (remote/agent/mpi/mpi_launch.h).
struct MpiPlan {
    std::string endpoint;  ///< ADDRESS:PORT of the first node
    std::string address;   ///< of this one
    std::string hosts;     ///< ADDRESS:SLOTS,…, the first node's first
};

struct RankPlan {
    int rank = 0;
    int local_rank = 0;
    std::string node;
    std::string device;  ///< "cuda:0" or "cpu"
    std::string gpu{};   ///< "NVIDIA H200"; empty: none, or not probed
    std::map<std::string, std::string> env;
    std::vector<std::string> command;  ///< {worker} and {config} stand for paths that only the node knows
    std::string event_folder;          ///< metrics.tensorboard; empty: none
    int outer_rank = -1;   ///< the program that has started it, where Rankscope has not; -1: Rankscope
    std::int64_t pid = 0;  ///< of a rank with an outer_rank, once it is found
    std::optional<MpiPlan> mpi = {};
};

struct NodePlan {
    std::string node;
    int group_rank = 0;
    int local_world_size = 0;
    std::string address;
    std::string interface_name;  ///< that bears the address, for NCCL and Gloo; empty: theirs to choose
};

struct LaunchPlan {
    std::string job_name;
    std::string backend;  ///< "gloo" or "nccl"
    int world_size = 0;
    std::string master_node;
    std::string master_addr;
    int master_port = 0;  ///< 0: chosen on the master when the run starts
    std::vector<NodePlan> nodes;
    std::vector<RankPlan> ranks;
    std::vector<RankPlan> programs;  ///< as they were planned, where they have started the ranks; else empty
    std::set<std::string> secret_env;  ///< variables whose values are masked in every text and in the store
    ThroughputKeys throughput;
    std::optional<engine::TrainingCost> cost;  ///< of the native engine's network
    std::optional<TrainingAdvice> training;    ///< of the native engine; a stored plan has no curve
    std::optional<CodeVersion> code;           ///< of a run: read when it starts
    std::vector<std::string> notes;  ///< what was assumed (a node not yet probed, …), for the user
};

/// What is known of the nodes when planning. Without facts of a node its inventory entry alone counts, and a
/// note says so: `plan` touches nothing.
using KnownFacts = std::map<std::string, NodeFacts>;

/// The nodes that the desk talks to, from the inventory ("local" is always there): those of the job, the
/// master first, or the one that it is submitted on.
Result<std::vector<NodeSpec>> resolve_nodes(const Inventory& inventory, const Job& job);

/// The plan over the nodes of the job; make_plan() (launch/run_launcher.h) makes that of any job.
/// rank → node → device → environment → command. Ranks are dealt in the job's order and node order; the first
/// node is the master. Environment as torchrun sets it (reference: torchrun's local_elastic_agent), plus
/// ours; the job's own variables and command may hold {rank}, {local_rank}, {world_size}, {local_world_size},
/// {node_rank}, {nodes}, {node}, {address}, {endpoint}, {endpoints}, {master_addr}, {master_port}. The token is not in the plan: it is
/// made when the run starts.
Result<LaunchPlan> make_node_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts);

nlohmann::json to_json(const LaunchPlan& plan);
Result<LaunchPlan> plan_from_json(const nlohmann::json& json);
/// "resnet50: 25.6 million parameters, 24.3 GFLOP for each sample of training".
std::string cost_text(const engine::TrainingCost& cost);
bool on_gpus(const LaunchPlan& plan);
/// What a rank keeps in memory, by kind.
std::string memory_text(const engine::TrainingCost& cost, bool gpu);
std::string sent_text(const engine::TrainingCost& cost);
/// Of a network that ranks divide: its slices; how long the stages of a pipeline wait, then a line for each. Else nothing.
std::vector<std::string> division_texts(const LaunchPlan& plan);
/// "published accuracy on ImageNet-1k: 76.13 %", of a share.
std::string published_text(double accuracy);
/// For terminals: a header, then a line per rank, then the environment the ranks share.
std::string to_text(const LaunchPlan& plan);

}  // namespace rankscope::inline jobs
