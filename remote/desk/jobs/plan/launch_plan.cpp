// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/jobs/plan/division_fault.h>
#include <remote/desk/jobs/plan/framework_environment.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/jobs/plan/local_rank_argument.h>
#include <remote/desk/jobs/plan/memory_need.h>
#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/jobs/plan/placeholders.h>
#include <remote/desk/nodes/session/nvidia_packages.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

const NodeFacts* facts_of(const KnownFacts& facts, const std::string& node) {
    const auto it = facts.find(node);
    return it == facts.end() ? nullptr : &it->second;
}

std::string address_of(const NodeSpec& node, const NodeFacts* facts, const KnownFacts& all, bool alone) {
    if (!node.address.empty()) {
        return node.address;
    }
    if (alone) {
        return "127.0.0.1";
    }
    if (node.local) {
        // Towards the other nodes: our side of a connection to one of them.
        for (const auto& [name, other] : all) {
            if (!other.desk_address.empty() && name != node.name) {
                return other.desk_address;
            }
        }
        return "127.0.0.1";
    }
    if (facts != nullptr && !facts->peer_address.empty()) {
        return facts->peer_address;
    }
    return node.host;
}

// The interface that bears the address, if a probe has seen it: Gloo would take the one that the host's own
// name leads to (Debian's /etc/hosts says 127.0.1.1), NCCL the first that is up.
std::string interface_of(const NodeFacts* facts, const std::string& address) {
    if (facts != nullptr) {
        for (const auto& entry : facts->interfaces) {
            if (!entry.loopback &&
                std::find(entry.addresses.begin(), entry.addresses.end(), address) != entry.addresses.end()) {
                return entry.name;
            }
        }
    }
    return {};
}

struct NodeShare {
    const NodeSpec* node = nullptr;
    std::vector<int> gpus;  ///< empty: CPU ranks
    int ranks = 0;
    int mpi_slots = 0;  ///< ranks that mpirun may start here; 0: the job has no mpirun
    std::string address;
    std::string endpoints{};  ///< of all ranks of the run, in their order
    std::string interface_name;
};

// One that is asked for and that the probe has not found.
std::optional<int> missing_gpu(const NodeShare& share, const NodeFacts* facts) {
    for (const int gpu : share.gpus) {
        if (facts != nullptr && std::none_of(facts->gpus.begin(), facts->gpus.end(),
                                             [gpu](const GpuFacts& found) { return found.index == gpu; })) {
            return gpu;
        }
    }
    return std::nullopt;
}

Result<NodeShare> share_of(const NodeSpec& node, const Job& job, const NodeFacts* facts, bool use_gpus,
                           LaunchPlan& plan) {
    NodeShare share;
    share.node = &node;
    if (use_gpus) {
        share.gpus = gpus_of(node, job, facts);
    }
    const int slots = node.cpu_slots > 0 ? node.cpu_slots : 1;
    const auto own = job.procs_of_node.find(node.name);
    share.ranks = own != job.procs_of_node.end() ? own->second
                  : job.procs_per_node > 0       ? job.procs_per_node
                  : job.own.own_ranks            ? 1
                  : share.gpus.empty()           ? slots
                                                 : static_cast<int>(share.gpus.size());
    const bool gpus_known = !node.gpus_auto || job.devices.count(node.name) != 0;
    if (use_gpus && !gpus_known && facts == nullptr) {
        plan.notes.push_back(text(
            kContext, "%1 has not been probed: its GPUs are not known, CPU slots are assumed.", {node.name}));
    }
    if (const auto missing = missing_gpu(share, facts)) {
        return Failure{
            "no-such-gpu", node.name,
            text(kContext, "GPU %1 is requested; GPUs on this node: %2.",
                 {std::to_string(*missing), std::to_string(facts->gpus.size())}),
            text(kContext, "Correct devices: in the job, or gpus: in the inventory; they count from 0."), ""};
    }
    if (!share.gpus.empty() && share.ranks > static_cast<int>(share.gpus.size())) {
        return Failure{"too-many-ranks", node.name,
                       text(kContext, "%1 ranks are requested; GPUs on this node: %2.",
                            {std::to_string(share.ranks), std::to_string(share.gpus.size())}),
                       text(kContext, "Lower procs_per_node, or write backend: gloo for CPU ranks."), ""};
    }
    if (job.own.mpi) {
        share.mpi_slots = share.ranks;
        share.ranks = 1;  // mpirun, or what waits for it
    }
    if (share.gpus.empty() && plan.backend == "nccl" && (facts != nullptr || gpus_known)) {
        const std::string install =
            facts == nullptr ? "" : nvidia_install_command(NvidiaPart::Driver, facts->os);
        return Failure{
            "no-gpu", node.name, text(kContext, "backend: nccl needs a GPU, and this node offers none."),
            install.empty()
                ? text(kContext,
                       "Check gpus: in the inventory and the driver of the node, or write backend: gloo.")
                : text(kContext,
                       "Check gpus: in the inventory, install the driver (%1), or write backend: gloo.",
                       {install}),
            ""};
    }
    return share;
}

std::string gpu_name(const NodeFacts* facts, int index) {
    const auto found = facts == nullptr ? std::vector<GpuFacts>() : facts->gpus;
    const auto gpu =
        std::find_if(found.begin(), found.end(), [index](const GpuFacts& one) { return one.index == index; });
    return gpu == found.end() ? std::string() : gpu->name;
}

std::string number(int value) {
    return std::to_string(value);
}

// Where a rank would listen, as Paddle's programs want to know of each. Ports next to the master's, so that two runs on a
// node differ; Paddle's own where the master's is chosen at the start.
std::string endpoint_of(const LaunchPlan& plan, const NodeShare& share, int local_rank) {
    const bool ipv6 = share.address.find(':') != std::string::npos;
    const int own = plan.master_port == 0                        ? 6170 + local_rank
                    : plan.master_port + 1 + local_rank <= 65535 ? plan.master_port + 1 + local_rank
                                                                 : plan.master_port - 1 - local_rank;
    return (ipv6 ? '[' + share.address + ']' : share.address) + ':' + number(own);
}

PlaceholderValues placeholders_of(const RankPlan& rank, const LaunchPlan& plan, const NodeShare& share,
                                  int group_rank) {
    PlaceholderValues values{{"rank", number(rank.rank)},
                             {"local_rank", number(rank.local_rank)},
                             {"world_size", number(plan.world_size)},
                             {"local_world_size", number(share.ranks)},
                             {"node_rank", number(group_rank)},
                             {"nodes", number(static_cast<int>(plan.nodes.size()))},
                             {"node", rank.node},
                             {"address", share.address},
                             {"endpoint", endpoint_of(plan, share, rank.local_rank)},
                             {"endpoints", share.endpoints},
                             {"master_addr", plan.master_addr}};
    if (plan.master_port != 0) {
        values["master_port"] = number(plan.master_port);
    }
    return values;
}

void add_environment(RankPlan& rank, const LaunchPlan& plan, const NodeShare& share, const Job& job,
                     int group_rank) {
    auto& env = rank.env;
    if (job.own.own_ranks || job.own.mpi) {
        env["NODE_RANK"] =
            number(group_rank);  // with RANK and LOCAL_RANK it would take itself for one of its ranks
    } else {
        env["RANK"] = number(rank.rank);
        env["LOCAL_RANK"] = number(rank.local_rank);
        env["WORLD_SIZE"] = number(plan.world_size);
        env["LOCAL_WORLD_SIZE"] = number(share.ranks);
        env["GROUP_RANK"] = number(group_rank);
        env["GROUP_WORLD_SIZE"] = number(static_cast<int>(plan.nodes.size()));
        env["ROLE_RANK"] = number(rank.rank);
        env["ROLE_WORLD_SIZE"] = number(plan.world_size);
        env["ROLE_NAME"] = "default";
        env["TORCHELASTIC_RESTART_COUNT"] = "0";
        env["TORCHELASTIC_MAX_RESTARTS"] = number(job.max_restarts);
        env["TORCHELASTIC_USE_AGENT_STORE"] = "False";
    }
    if (!job.train) {
        add_framework_environment(rank, plan, share.endpoints, static_cast<int>(share.gpus.size()),
                                  share.ranks);
    }
    env["MASTER_ADDR"] = plan.master_addr;
    env["MASTER_PORT"] = number(plan.master_port);
    env["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1";
    if (share.ranks > 1 || share.mpi_slots > 1) {
        // As torchrun: they would otherwise start cores × ranks threads. A rank alone on its node may use all
        // cores.
        env["OMP_NUM_THREADS"] = "1";
    }
    if (!share.gpus.empty()) {
        std::string visible;
        for (const int gpu : share.gpus) {
            visible += (visible.empty() ? "" : ",") + number(gpu);
        }
        env["CUDA_VISIBLE_DEVICES"] = visible;
    }
    if (job.interface_name != "auto") {
        env["GLOO_SOCKET_IFNAME"] = job.interface_name;
        env["NCCL_SOCKET_IFNAME"] = job.interface_name;
    } else if (!share.interface_name.empty()) {
        env["GLOO_SOCKET_IFNAME"] = share.interface_name;
        env["NCCL_SOCKET_IFNAME"] = '=' + share.interface_name;  // "=": this one, not all that begin so
    }
    const auto values = placeholders_of(rank, plan, share, group_rank);
    const auto add = [&](const std::map<std::string, std::string>& more) {
        for (const auto& [key, value] : more) {
            env[key] = fill_placeholders(value, values);
        }
    };
    add(job.env);
    if (const auto own = job.node_env.find(rank.node); own != job.node_env.end()) {
        add(own->second);
    }
    if (const auto own = job.rank_env.find(rank.rank); own != job.rank_env.end()) {
        add(own->second);
    }
    for (auto& word : rank.command) {
        word = fill_placeholders(word, values);
    }
    rank.event_folder = fill_placeholders(job.own.metrics.tensorboard, values);
}

Result<std::vector<NodeSpec>> nodes_in_order(const Inventory& inventory, const Job& job) {
    if (job.all_nodes) {
        if (inventory.nodes.empty()) {
            return Failure{
                "no-nodes", job.file.string(), text(kContext, "nodes: all, but the inventory names no node."),
                text(kContext, "Add nodes with `rankscopectl nodes add`, or write nodes: local."), ""};
        }
        return inventory.nodes;
    }
    std::vector<NodeSpec> nodes;
    const JobLauncher& launcher = launcher_of(job);
    for (const auto& name : launcher.chooses_nodes ? std::vector<std::string>{submit_node(job)} : job.nodes) {
        if (name == kLocalNodeName) {
            nodes.push_back(local_node());
        } else if (const NodeSpec* node = inventory.find(name)) {
            nodes.push_back(*node);
        } else {
            std::string known = kLocalNodeName;
            for (const auto& entry : inventory.nodes) {
                known += ", " + entry.name;
            }
            return Failure{
                "unknown-node", job.file.string(),
                text(kContext, "%1: \"%2\" is not in the inventory.",
                     {launcher.chooses_nodes ? launcher.submit_key : "nodes", name}),
                text(kContext, "Known nodes: %1. Add it with `rankscopectl nodes add %2`.", {known, name}),
                ""};
        }
    }
    if (nodes.empty()) {
        return Failure{"no-nodes", job.file.string(), text(kContext, "No node is chosen."),
                       text(kContext, "Choose at least one; \"local\" is this computer."), ""};
    }
    return nodes;
}

// What the job says of single nodes must be about nodes it has.
Result<void> check_names(const std::vector<NodeSpec>& nodes, const Job& job) {
    std::vector<std::pair<const char*, std::string>> named;
    if (!job.master.empty()) {
        named.emplace_back("master", job.master);
    }
    const auto add = [&](const char* key, const auto& mapping) {
        for (const auto& [node, ignored] : mapping) {
            named.emplace_back(key, node);
        }
    };
    add("procs_per_node", job.procs_of_node);
    add("devices", job.devices);
    add("node_env", job.node_env);
    for (const auto& [key, name] : named) {
        if (std::none_of(nodes.begin(), nodes.end(),
                         [&name = name](const NodeSpec& node) { return node.name == name; })) {
            return Failure{"unknown-node", job.file.string(),
                           text(kContext, "%1: \"%2\" is not one of the job's nodes.", {key, name}),
                           text(kContext, "Name one that stands in nodes:, or add it there."), ""};
        }
    }
    return {};
}

// Deals the ranks to the nodes: (node, local rank) of each, in the order of ranks.
std::vector<std::pair<std::size_t, int>> deal(const std::vector<NodeShare>& shares, RankOrder order) {
    std::vector<std::pair<std::size_t, int>> places;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        for (int local = 0; local < shares[i].ranks; ++local) {
            places.emplace_back(i, local);
        }
    }
    if (order == RankOrder::Cyclic) {
        std::stable_sort(places.begin(), places.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    }
    return places;
}

}  // namespace

Result<std::vector<NodeSpec>> resolve_nodes(const Inventory& inventory, const Job& job) {
    auto nodes = nodes_in_order(inventory, job);
    if (!nodes) {
        return nodes;
    }
    if (auto fine = check_names(*nodes, job); !fine) {
        return fine.failure();
    }
    if (!job.master.empty()) {
        std::stable_partition(nodes->begin(), nodes->end(),
                              [&](const NodeSpec& node) { return node.name == job.master; });
    }
    return nodes;
}

Result<LaunchPlan> make_node_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts) {
    return make_node_plan(inventory, job, facts, EngineParts::of_nodes(inventory, job, facts));
}

Result<LaunchPlan> make_node_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts,
                                  const EngineParts& engine) {
    auto nodes = resolve_nodes(inventory, job);
    if (!nodes) {
        return nodes.failure();
    }
    LaunchPlan plan;
    plan.job_name = job.name;
    const ComputeOffers offers = compute_offers(*nodes, job, facts, engine);
    const std::string device = train_word(job, "device");
    const bool cuda_engine = job.train && offers.device == "cuda";
    const bool use_gpus = job.backend == BackendChoice::Nccl || cuda_engine ||
                          (job.backend == BackendChoice::Auto && !job.train.has_value());
    plan.backend = job.backend == BackendChoice::Nccl || cuda_engine ? "nccl" : "gloo";
    if (device == "cuda" && job.backend == BackendChoice::Gloo) {
        return Failure{
            "device-and-backend", job.file.string(),
            text(kContext, "train.device: cuda averages gradients by NCCL, but the job says backend: gloo."),
            text(kContext, "Write backend: auto or nccl, or train.device: cpu."), ""};
    }
    if (device == "cpu" && job.backend == BackendChoice::Nccl) {
        return Failure{"device-and-backend", job.file.string(),
                       text(kContext, "backend: nccl needs GPUs, but the job says train.device: cpu."),
                       text(kContext, "Write train.device: cuda, or backend: auto or gloo."), ""};
    }
    if (cuda_engine && config::check_train_config(*job.train).empty()) {
        const config::ParallelConfig parallel = config::parse_train_config(*job.train).parallel;
        const std::string key = parallel.zero > 0              ? "train.parallel.zero"
                                : parallel.pipeline.stages > 1 ? "train.parallel.pipeline"
                                : parallel.tensor > 1          ? "train.parallel.tensor"
                                                               : "";
        if (!key.empty()) {
            return Failure{"device-and-backend", job.file.string(),
                           text(kContext, "The ranks compute on GPUs, where %1 is unavailable.", {key}),
                           text(kContext, "Write train.device: cpu, or leave %1 out.", {key}), ""};
        }
    }
    const std::string precision = train_word(job, "precision");
    if (const auto why = ComputeOffers::why_not(offers.precisions, precision); job.train && !why.empty()) {
        return Failure{"device-and-backend", job.file.string(),
                       text(kContext, "train.precision: %1 cannot be used: %2.", {precision, why}),
                       text(kContext, "Choose another train.precision, or other nodes."), ""};
    }
    std::vector<NodeShare> shares;
    bool any_gpu = false;
    for (const auto& node : *nodes) {
        const NodeFacts* known = facts_of(facts, node.name);
        auto share = share_of(node, job, known, use_gpus, plan);
        if (!share) {
            return share.failure();
        }
        share->address = address_of(node, known, facts, nodes->size() == 1);
        if (nodes->size() > 1 && job.interface_name == "auto") {
            share->interface_name = interface_of(known, share->address);
        }
        any_gpu = any_gpu || !share->gpus.empty();
        plan.world_size += share->ranks;
        shares.push_back(std::move(*share));
    }
    if (job.backend == BackendChoice::Auto && any_gpu) {
        plan.backend = "nccl";
    }
    add_device_notes(job, offers, plan.notes);
    plan.master_node = nodes->front().name;
    plan.master_addr = shares.front().address;
    plan.master_port = job.master_port;
    if (plan.master_port == 0) {
        plan.notes.push_back(
            text(kContext, "When the run starts, it takes a free port of %1.", {plan.master_node}));
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
        plan.nodes.push_back({shares[i].node->name, static_cast<int>(i), shares[i].ranks, shares[i].address,
                              shares[i].interface_name});
    }
    for (const auto& [rank, env] : job.rank_env) {
        if (rank >= plan.world_size) {
            return Failure{"unknown-rank", job.file.string(),
                           text(kContext, "rank_env: there is no rank %1; the job has %2, counted from 0.",
                                {number(rank), number(plan.world_size)}),
                           text(kContext, "Correct the rank, or leave it out."), ""};
        }
    }
    std::string endpoints;
    for (const auto& [i, local] : deal(shares, job.rank_order)) {
        endpoints += (endpoints.empty() ? "" : ",") + endpoint_of(plan, shares[i], local);
    }
    for (auto& share : shares) {
        share.endpoints = endpoints;
    }
    std::string mpi_hosts;
    for (const auto& share : shares) {
        mpi_hosts += (mpi_hosts.empty() ? "" : ",") + share.address + ':' + number(share.mpi_slots);
    }
    for (const auto& [i, local] : deal(shares, job.rank_order)) {
        RankPlan rank;
        rank.rank = static_cast<int>(plan.ranks.size());
        rank.local_rank = local;
        rank.node = shares[i].node->name;
        rank.device = shares[i].gpus.empty()
                          ? "cpu"
                          : "cuda:" + number(shares[i].gpus[static_cast<std::size_t>(local)]);
        if (!shares[i].gpus.empty()) {
            rank.gpu = gpu_name(facts_of(facts, rank.node), shares[i].gpus[static_cast<std::size_t>(local)]);
        }
        rank.command = job.train ? std::vector<std::string>{"{worker}", "--config", "{config}"} : job.command;
        add_local_rank(rank.command, job.own.local_rank_argument);
        add_environment(rank, plan, shares[i], job, static_cast<int>(i));
        add_nccl_plugin(rank, job, plan.notes);
        if (job.own.mpi) {
            rank.mpi = MpiPlan{endpoint_of(plan, shares.front(), 0), shares[i].address, mpi_hosts};
        }
        plan.ranks.push_back(std::move(rank));
    }
    if (job.environment.wanted()) {
        plan.notes.push_back(
            text(kContext, "Before the start each node makes a Python environment of %1, or finds it there.",
                 {job.environment.file()}));
        if (!job.command.empty() && job.command.front().starts_with('/') &&
            base_name(job.command.front()).starts_with("python")) {
            plan.notes.push_back(text(kContext, "%1 is not the Python of that environment: write %2.",
                                      {job.command.front(), base_name(job.command.front())}));
        }
    }
    if (job.container.wanted()) {
        plan.notes.push_back(
            job.container.name.empty()
                ? text(kContext, "On each node the ranks run in a container of the image %1.",
                       {job.container.image})
                : text(kContext, "On each node the ranks run in its container %1.", {job.container.name}));
    }
    if (job.train && config::check_train_config(*job.train).empty()) {
        if (auto fault = division_fault(job, plan.world_size)) {
            return *std::move(fault);
        }
        plan.cost = engine::training_cost(config::parse_train_config(*job.train), plan.world_size);
        plan.training = training_advice(job, plan.world_size);
    }
    if (std::string note = memory_note(memory_need(plan, facts)); !note.empty()) {
        plan.notes.push_back(std::move(note));
    }
    plan.throughput = job.own.throughput;
    plan.secret_env = secret_names(job);
    return plan;
}

}  // namespace rankscope::inline jobs
