// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/jobs/launchers/slurm/slurm_plan.h>
#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/jobs/plan/framework_environment.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "SlurmPlan";
constexpr int kMaxRanks = 16384;

std::string placeholder(int index) {
    return "slurm[" + std::to_string(index) + ']';
}

// The agent does the same (slurm_supervise.cpp).
void replace_all(std::string& text, const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
            text.replace(at, name.size(), value);
        }
    }
}

// scontrol separates its words by blanks.
std::string job_name(const std::string& name) {
    std::string safe = name;
    std::replace_if(
        safe.begin(), safe.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '-');
    return safe.empty() ? "rankscope" : safe;
}

// The agent's own task per node is not what a program expects that reads Slurm's variables to find its rank.
void add_slurm_environment(RankPlan& rank, int nodes, int ranks_per_node) {
    const std::string world = std::to_string(nodes * ranks_per_node);
    const std::string per_node =
        std::to_string(ranks_per_node) + (nodes > 1 ? "(x" + std::to_string(nodes) + ')' : "");
    rank.env["SLURM_PROCID"] = std::to_string(rank.rank);
    rank.env["SLURM_LOCALID"] = std::to_string(rank.local_rank);
    rank.env["SLURM_NTASKS"] = world;
    rank.env["SLURM_NPROCS"] = world;
    rank.env["SLURM_STEP_NUM_TASKS"] = world;
    rank.env["SLURM_NTASKS_PER_NODE"] = std::to_string(ranks_per_node);
    rank.env["SLURM_TASKS_PER_NODE"] = per_node;
    rank.env["SLURM_STEP_TASKS_PER_NODE"] = per_node;
}

std::string command_line(const std::vector<std::string>& words) {
    std::string line = "sbatch";
    for (const auto& word : words) {
        line += ' ' + shell_quote(word);
    }
    return line;
}

}  // namespace

std::vector<std::string> sbatch_arguments(const Job& job, int ranks_per_node) {
    const SlurmOptions& options = slurm_options(job);
    std::vector<std::string> words{"--job-name=" + job_name(job.name),
                                   "--nodes=" + std::to_string(options.nodes),
                                   "--ntasks-per-node=" + std::to_string(ranks_per_node)};
    const auto add = [&words](const char* name, const std::string& value) {
        if (!value.empty()) {
            words.push_back(std::string("--") + name + '=' + value);
        }
    };
    add("partition", options.partition);
    add("account", options.account);
    add("qos", options.qos);
    add("time", options.time);
    add("gres", options.gres);
    words.insert(words.end(), options.extra.begin(), options.extra.end());
    words.emplace_back("--no-requeue");  // a second life of the same run would mix its events with the first
    return words;
}

Result<LaunchPlan> make_slurm_plan(const Inventory& inventory, const Job& job) {
    if (const auto login = resolve_nodes(inventory, job); !login) {
        return login.failure();
    }
    const SlurmOptions& options = slurm_options(job);
    const int gpus = gpus_per_node(options);
    Job planned = job;
    planned.all_nodes = true;  // those below
    planned.procs_per_node = job.procs_per_node > 0 ? job.procs_per_node : std::max(1, gpus);
    if (options.nodes * planned.procs_per_node > kMaxRanks) {
        return Failure{
            "too-many-ranks", job.file.string(),
            text(kContext, "slurm.nodes times procs_per_node is %1 ranks; %2 are the most.",
                 {std::to_string(options.nodes * planned.procs_per_node), std::to_string(kMaxRanks)}),
            text(kContext, "Lower one of them."), ""};
    }
    Inventory nodes;
    nodes.file = inventory.file;
    for (int i = 0; i < options.nodes; ++i) {
        NodeSpec node;
        node.name = placeholder(i);
        node.address = i == 0 ? kMasterAddrPlaceholder : kAddressPlaceholder;
        node.gpus_auto = false;
        node.gpus.resize(static_cast<std::size_t>(gpus));
        std::iota(node.gpus.begin(), node.gpus.end(), 0);
        nodes.nodes.push_back(std::move(node));
    }
    auto plan = make_node_plan(nodes, planned, {});
    if (!plan) {
        Failure failure = plan.failure();
        if (failure.code == "no-gpu") {
            failure.where = job.file.string();
            failure.remedy = text(kContext, "Ask Slurm for GPUs: slurm: { gres: \"gpu:1\" }.");
        }
        return failure;
    }
    for (auto& rank : plan->ranks) {
        const RankPlan given = rank;  // what the job file says of a variable wins
        std::erase_if(rank.env, [](const auto& entry) { return is_framework_variable(entry.first); });
        rank.env.erase("CUDA_VISIBLE_DEVICES");  // Slurm's, which knows the devices that it has granted
        if (job.master_port == 0) {
            rank.env["MASTER_PORT"] = kMasterPortPlaceholder;
        }
        add_slurm_environment(rank, options.nodes, planned.procs_per_node);
        const auto own = job.rank_env.find(rank.rank);
        for (const auto& [key, value] : given.env) {
            if (job.env.contains(key) || (own != job.rank_env.end() && own->second.contains(key))) {
                rank.env[key] = value;
            }
        }
    }
    plan->notes.clear();
    add_device_notes(planned, compute_offers(nodes.nodes, planned, {}, EngineParts::of_bundle()),
                     plan->notes);
    plan->notes.push_back(text(kContext, "Submitted on %1: %2",
                               {options.login, command_line(sbatch_arguments(job, planned.procs_per_node))}));
    plan->notes.push_back(
        text(kContext, "Slurm chooses the nodes; the first of them is the master. Their names follow."));
    if (job.master_port == 0) {
        plan->notes.push_back(text(kContext, "The port becomes 10000 + job id % 20000."));
    }
    return plan;
}

LaunchPlan unallocated_plan(int nodes, int ranks_per_node, LaunchPlan plan) {
    plan.world_size = nodes * ranks_per_node;
    for (int index = 0; index < nodes; ++index) {
        NodePlan node;
        node.node = placeholder(index);
        node.group_rank = index;
        node.local_world_size = ranks_per_node;
        plan.nodes.push_back(std::move(node));
        for (int local = 0; local < ranks_per_node; ++local) {
            RankPlan rank;
            rank.rank = index * ranks_per_node + local;
            rank.node = placeholder(index);
            rank.local_rank = local;
            plan.ranks.push_back(std::move(rank));
        }
    }
    plan.master_node = nodes > 0 ? placeholder(0) : "";
    return plan;
}

LaunchPlan with_allocation(LaunchPlan plan, const std::vector<std::string>& hosts, int master_port) {
    if (hosts.size() != plan.nodes.size()) {
        return plan;
    }
    std::map<std::string, std::string> host_of;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        host_of[plan.nodes[i].node] = hosts[i];
        plan.nodes[i].node = hosts[i];
        plan.nodes[i].address = hosts[i];
    }
    for (auto& rank : plan.ranks) {
        const std::string before = rank.node;
        rank.node = host_of[before];
        const std::map<std::string, std::string> values{{kMasterAddrPlaceholder, hosts.front()},
                                                        {kMasterPortPlaceholder, std::to_string(master_port)},
                                                        {kAddressPlaceholder, rank.node},
                                                        {before, rank.node}};
        for (auto& [key, value] : rank.env) {
            replace_all(value, values);
        }
        for (auto& word : rank.command) {
            replace_all(word, values);
        }
        replace_all(rank.event_folder, values);
    }
    plan.master_node = hosts.front();
    plan.master_addr = hosts.front();
    plan.master_port = master_port;
    return plan;
}

}  // namespace rankscope::inline jobs
