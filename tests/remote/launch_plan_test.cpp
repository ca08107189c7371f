// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/hostile_texts.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace rankscope {
namespace {

Job program_job(std::vector<std::string> nodes) {
    Job job;
    job.file = "job.yaml";
    job.name = "test";
    job.nodes = std::move(nodes);
    job.command = {"python3", "train.py"};
    return job;
}

Job train_job(std::vector<std::string> nodes) {
    Job job = program_job(std::move(nodes));
    job.command.clear();
    job.train = nlohmann::json{{"model", "convnet"}};
    return job;
}

NodeSpec node_called(const std::string& name, int cpu_slots = 0) {
    NodeSpec node;
    node.name = name;
    node.host = name + ".example.org";
    node.cpu_slots = cpu_slots;
    return node;
}

NodeFacts facts_with(int gpus, const std::string& address = {}) {
    NodeFacts facts;
    facts.hostname = "h";
    for (int i = 0; i < gpus; ++i) {
        facts.gpus.push_back({i, "H100", 80ULL << 30U});
    }
    facts.peer_address = address;
    return facts;
}

Inventory inventory_of(std::vector<NodeSpec> nodes) {
    Inventory inventory;
    inventory.nodes = std::move(nodes);
    return inventory;
}

LaunchPlan planned(const Inventory& inventory, const Job& job, const KnownFacts& facts = {}) {
    auto plan = make_plan(inventory, job, facts);
    EXPECT_TRUE(plan) << (plan ? "" : to_line(plan.failure()));
    return plan ? *plan : LaunchPlan{};
}

std::string refused(const Inventory& inventory, const Job& job, const KnownFacts& facts = {}) {
    const auto plan = make_plan(inventory, job, facts);
    EXPECT_FALSE(plan);
    if (plan) {
        return {};
    }
    EXPECT_FALSE(plan.failure().what.empty());
    EXPECT_FALSE(plan.failure().remedy.empty());
    return plan.failure().code.str();
}

TEST(LaunchPlan, EnvironmentIsTorchruns) {
    const auto inventory = inventory_of({node_called("node1"), node_called("node2")});
    const KnownFacts facts{{"node1", facts_with(2, "10.0.0.11")}, {"node2", facts_with(1, "10.0.0.12")}};
    const auto plan = planned(inventory, program_job({"node1", "node2"}), facts);
    ASSERT_EQ(plan.ranks.size(), 3U);  // reference: torchrun's local_elastic_agent
    const std::map<std::string, std::string> second{{"RANK", "1"},
                                                    {"LOCAL_RANK", "1"},
                                                    {"WORLD_SIZE", "3"},
                                                    {"LOCAL_WORLD_SIZE", "2"},
                                                    {"GROUP_RANK", "0"},
                                                    {"GROUP_WORLD_SIZE", "2"},
                                                    {"ROLE_RANK", "1"},
                                                    {"ROLE_WORLD_SIZE", "3"},
                                                    {"ROLE_NAME", "default"},
                                                    {"MASTER_ADDR", "10.0.0.11"},
                                                    {"MASTER_PORT", "29500"},
                                                    {"TORCHELASTIC_RESTART_COUNT", "0"},
                                                    {"TORCHELASTIC_MAX_RESTARTS", "0"},
                                                    {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                                                    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"},
                                                    {"OMP_NUM_THREADS", "1"},
                                                    {"CUDA_VISIBLE_DEVICES", "0,1"},
                                                    {"NCCL_PROFILER_PLUGIN", "{nccl_plugin}"},
                                                    {"RANKSCOPE_NCCL_DIR", "{nccl_folder}"},
                                                    {"RANKSCOPE_NCCL_LEVEL", "2"}};
    const auto& env = plan.ranks[1].env;
    EXPECT_TRUE(std::includes(env.begin(), env.end(), second.begin(), second.end()));
    EXPECT_EQ(env.size(), second.size() + 5) << "and what JAX and TensorFlow read";
    EXPECT_EQ(plan.ranks[1].device, "cuda:1");
    EXPECT_EQ(plan.ranks[2].env.at("RANK"), "2");
    EXPECT_EQ(plan.ranks[2].env.at("LOCAL_RANK"), "0");
    EXPECT_EQ(plan.ranks[2].env.at("GROUP_RANK"), "1");
    EXPECT_EQ(plan.ranks[2].env.at("LOCAL_WORLD_SIZE"), "1");
    EXPECT_EQ(plan.ranks[2].env.at("CUDA_VISIBLE_DEVICES"), "0");
    EXPECT_EQ(plan.ranks[2].env.count("OMP_NUM_THREADS"), 0U)
        << "as torchrun: a rank that has the node for itself may use all cores";
    EXPECT_EQ(plan.backend, "nccl");
    EXPECT_EQ(plan.master_node, "node1");
    EXPECT_EQ(plan.ranks[0].command, (std::vector<std::string>{"python3", "train.py"}));
}

// A node with a GPU and one without, by the job.
LaunchPlan observed(Job job) {
    return planned(inventory_of({node_called("node1"), node_called("node2")}), std::move(job),
                   {{"node1", facts_with(1)}, {"node2", facts_with(0)}});
}

TEST(LaunchPlan, NcclIsObservedWhereItIsUsed) {
    const auto plan = observed(program_job({"node1", "node2"}));
    ASSERT_EQ(plan.ranks.size(), 2U);
    EXPECT_EQ(plan.ranks[0].env.at("NCCL_PROFILER_PLUGIN"), "{nccl_plugin}");
    EXPECT_EQ(plan.ranks[0].env.at("RANKSCOPE_NCCL_DIR"), "{nccl_folder}");
    EXPECT_EQ(plan.ranks[0].env.at("RANKSCOPE_NCCL_LEVEL"), "2");
    EXPECT_EQ(plan.ranks[1].env.count("NCCL_PROFILER_PLUGIN"), 0U) << "no GPU there";
    EXPECT_TRUE(observes_nccl(plan, "node1"));
    EXPECT_FALSE(observes_nccl(plan, "node2"));
    EXPECT_TRUE(observes_nccl(plan, ""));
    EXPECT_NE(to_text(plan).find("NCCL_PROFILER_PLUGIN='{nccl_plugin}'"), std::string::npos) << to_text(plan);

    Job job = program_job({"node1", "node2"});
    job.nccl_profiler = NcclProfiler::Light;
    EXPECT_EQ(observed(job).ranks[1].env.at("RANKSCOPE_NCCL_LEVEL"), "1") << "asked for";
    job.nccl_profiler = NcclProfiler::Full;
    EXPECT_EQ(observed(job).ranks[0].env.at("RANKSCOPE_NCCL_LEVEL"), "3");
    job.nccl_profiler = NcclProfiler::Off;
    EXPECT_FALSE(observes_nccl(observed(job), ""));
    EXPECT_FALSE(observes_nccl(observed(train_job({"node1", "node2"})), "")) << "it trains on processors";
    Job native = train_job({"node1", "node2"});
    native.nccl_profiler = NcclProfiler::Full;
    EXPECT_FALSE(observes_nccl(observed(native), ""));
}

TEST(LaunchPlan, WhatTheJobSetsOfTheNcclPluginWins) {
    Job job = program_job({"node1"});
    job.env = {{"NCCL_PROFILER_PLUGIN", "/opt/inspector.so"}, {"RANKSCOPE_NCCL_LEVEL", "4"}};
    auto plan = observed(job);
    EXPECT_EQ(plan.ranks[0].env.at("NCCL_PROFILER_PLUGIN"), "{nccl_plugin}");
    EXPECT_EQ(plan.ranks[0].env.at("RANKSCOPE_NCCL_CHAIN"), "/opt/inspector.so");
    EXPECT_EQ(plan.ranks[0].env.at("RANKSCOPE_NCCL_LEVEL"), "4");
    EXPECT_EQ(environment_without_nccl_plugin(plan.ranks[0]).at("NCCL_PROFILER_PLUGIN"), "/opt/inspector.so");
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find("/opt/inspector.so"), std::string::npos) << plan.notes[0];
    for (const char* none : {"none", "", "STATIC_PLUGIN"}) {
        job.env = {{"NCCL_PROFILER_PLUGIN", none}};
        plan = observed(job);
        EXPECT_EQ(plan.ranks[0].env.at("NCCL_PROFILER_PLUGIN"), none);
        EXPECT_EQ(plan.ranks[0].env.count("RANKSCOPE_NCCL_DIR"), 0U);
        EXPECT_EQ(plan.notes.size(), 1U) << none;
    }
}

TEST(LaunchPlan, TheJobsEnvironmentHasTheLastWord) {
    Job job = program_job({"node1"});
    job.env = {{"OMP_NUM_THREADS", "8"}, {"MINE", "x"}, {"MASTER_PORT", "1"}};
    job.interface_name = "eth1";
    const auto plan = planned(inventory_of({node_called("node1", 2)}), job, {{"node1", facts_with(0)}});
    EXPECT_EQ(plan.ranks.at(0).env.at("OMP_NUM_THREADS"), "8");
    EXPECT_EQ(plan.ranks.at(0).env.at("MINE"), "x");
    EXPECT_EQ(plan.ranks.at(0).env.at("MASTER_PORT"), "1");
    EXPECT_EQ(plan.ranks.at(0).env.at("GLOO_SOCKET_IFNAME"), "eth1");
    EXPECT_EQ(plan.ranks.at(0).env.at("NCCL_SOCKET_IFNAME"), "eth1");
    EXPECT_EQ(plan.ranks.at(0).env.count("CUDA_VISIBLE_DEVICES"), 0U);
}

TEST(LaunchPlan, NodesMayDiffer) {
    NodeSpec chosen = node_called("chosen");
    chosen.gpus_auto = false;
    chosen.gpus = {6, 2};
    NodeSpec none = node_called("none", 3);
    none.gpus_auto = false;
    const auto inventory =
        inventory_of({node_called("big"), chosen, none, node_called("cpu", 2), node_called("bare")});
    const KnownFacts facts{{"big", facts_with(4)},
                           {"chosen", facts_with(8)},
                           {"none", facts_with(8)},
                           {"cpu", facts_with(0)},
                           {"bare", facts_with(0)}};
    Job job = program_job({});
    job.all_nodes = true;
    const auto plan = planned(inventory, job, facts);
    std::vector<std::string> devices;
    for (const auto& rank : plan.ranks) {
        devices.push_back(rank.node + '/' + rank.device);
    }
    EXPECT_EQ(devices, (std::vector<std::string>{"big/cuda:0", "big/cuda:1", "big/cuda:2", "big/cuda:3",
                                                 "chosen/cuda:6", "chosen/cuda:2", "none/cpu", "none/cpu",
                                                 "none/cpu", "cpu/cpu", "cpu/cpu", "bare/cpu"}));
    EXPECT_EQ(plan.world_size, 12);
    EXPECT_EQ(plan.ranks[4].env.at("CUDA_VISIBLE_DEVICES"), "6,2");
    std::set<int> ranks;
    int group = -1;
    for (const auto& rank : plan.ranks) {
        EXPECT_TRUE(ranks.insert(rank.rank).second);
        EXPECT_EQ(rank.env.at("RANK"), std::to_string(rank.rank));
        EXPECT_EQ(rank.env.at("WORLD_SIZE"), "12");
        EXPECT_GE(std::stoi(rank.env.at("GROUP_RANK")), group) << "ranks are dealt node by node";
        group = std::stoi(rank.env.at("GROUP_RANK"));
    }
    ASSERT_EQ(plan.nodes.size(), 5U);
    EXPECT_EQ(plan.nodes[1].local_world_size, 2);
    EXPECT_EQ(plan.nodes[1].group_rank, 1);
}

TEST(LaunchPlan, FewerRanksThanGpus) {
    Job job = program_job({"node1"});
    job.procs_per_node = 2;
    const auto plan = planned(inventory_of({node_called("node1")}), job, {{"node1", facts_with(8)}});
    ASSERT_EQ(plan.ranks.size(), 2U);
    EXPECT_EQ(plan.ranks[1].device, "cuda:1");
}

TEST(LaunchPlan, EachNodeMayHaveItsOwnShareDevicesAndEnvironment) {
    const auto inventory = inventory_of({node_called("node1"), node_called("node2")});
    const KnownFacts facts{{"node1", facts_with(4)}, {"node2", facts_with(8)}};
    Job job = program_job({"node1", "node2"});
    job.procs_of_node = {{"node1", 1}};
    job.devices = {{"node2", {5, 3}}};
    job.env = {{"A", "job"}, {"B", "job"}, {"C", "job"}};
    job.node_env = {{"node2", {{"B", "node"}, {"C", "node"}}}};
    job.rank_env = {{2, {{"C", "rank"}}}};
    const auto plan = planned(inventory, job, facts);
    ASSERT_EQ(plan.ranks.size(), 3U);
    EXPECT_EQ(plan.ranks[0].device, "cuda:0");
    EXPECT_EQ(plan.ranks[1].device, "cuda:5");
    EXPECT_EQ(plan.ranks[2].device, "cuda:3");
    EXPECT_EQ(plan.ranks[2].env.at("CUDA_VISIBLE_DEVICES"), "5,3");
    EXPECT_EQ(plan.ranks[0].env.at("B"), "job");
    EXPECT_EQ(plan.ranks[1].env.at("B"), "node");
    EXPECT_EQ(plan.ranks[1].env.at("C"), "node");
    EXPECT_EQ(plan.ranks[2].env.at("C"), "rank");
    EXPECT_EQ(plan.ranks[2].env.at("A"), "job");
}

TEST(LaunchPlan, TheMasterIsChosenAndItsNodeComesFirst) {
    const auto inventory = inventory_of({node_called("node1"), node_called("node2"), node_called("node3")});
    Job job = program_job({"node1", "node2", "node3"});
    job.master = "node2";
    const auto plan = planned(inventory, job, {{"node2", facts_with(0, "10.0.0.2")}});
    EXPECT_EQ(plan.master_node, "node2");
    EXPECT_EQ(plan.master_addr, "10.0.0.2");
    EXPECT_EQ(plan.ranks.at(0).node, "node2");
    EXPECT_EQ(plan.ranks.at(1).node, "node1");
    EXPECT_EQ(plan.ranks.at(2).node, "node3");
}

TEST(LaunchPlan, RanksMayBeDealtInTurn) {
    Job job = program_job({"node1", "node2"});
    job.procs_of_node = {{"node1", 3}, {"node2", 2}};
    job.rank_order = RankOrder::Cyclic;
    const auto plan = planned(inventory_of({node_called("node1"), node_called("node2")}), job);
    std::string places;
    for (const auto& rank : plan.ranks) {
        places += rank.node.substr(4) + ':' + rank.env.at("LOCAL_RANK") + ' ';
        EXPECT_EQ(rank.env.at("RANK"), std::to_string(rank.rank));
    }
    EXPECT_EQ(places, "1:0 2:0 1:1 2:1 1:2 ");
    EXPECT_EQ(plan.ranks[1].env.at("GROUP_RANK"), "1");
}

TEST(LaunchPlan, PlaceholdersAreFilledForEachRank) {
    Job job = program_job({"node1", "node2"});
    job.command = {"./train",       "--rank={rank}", "{worker}",          "${rank}",
                   "{\"rank\": 1}", "{rank",         "{nodes}{node_rank}"};
    job.own.metrics.tensorboard = "~/tb/{node}/{rank}";
    job.env = {{"OMPI_COMM_WORLD_RANK", "{rank}"}, {"URL", "tcp://{master_addr}:{master_port}/{world_size}"}};
    const auto plan = planned(inventory_of({node_called("node1"), node_called("node2")}), job,
                              {{"node1", facts_with(0, "10.0.0.1")}});
    EXPECT_EQ(plan.ranks.at(1).command,
              (std::vector<std::string>{"./train", "--rank=1", "{worker}", "${rank}", "{\"rank\": 1}",
                                        "{rank", "21"}));
    EXPECT_EQ(plan.ranks.at(1).env.at("OMPI_COMM_WORLD_RANK"), "1");
    EXPECT_EQ(plan.ranks.at(1).env.at("URL"), "tcp://10.0.0.1:29500/2");
    EXPECT_EQ(plan.ranks.at(1).event_folder, "~/tb/node2/1");
    EXPECT_EQ(plan_from_json(to_json(plan)).value().ranks.at(1).event_folder, "~/tb/node2/1");
    EXPECT_NE(to_text(plan).find("event files below '~/tb/node2/1'"), std::string::npos);
}

TEST(LaunchPlan, TheInterfaceThatBearsTheAddressIsNamed) {
    NodeFacts facts = facts_with(0, "10.0.0.1");
    facts.interfaces = {{"lo", {"127.0.0.1"}, true, true, 65536},
                        {"docker0", {"172.17.0.1"}, true, false, 1500},
                        {"eth1", {"10.0.0.1", "fe80::1"}, true, false, 9000}};
    const auto inventory = inventory_of({node_called("node1"), node_called("node2")});
    Job job = program_job({"node1", "node2"});
    const auto plan = planned(inventory, job, {{"node1", facts}});
    EXPECT_EQ(plan.nodes.at(0).interface_name, "eth1");
    EXPECT_EQ(plan.ranks.at(0).env.at("GLOO_SOCKET_IFNAME"), "eth1");
    EXPECT_EQ(plan.ranks.at(0).env.at("NCCL_SOCKET_IFNAME"), "=eth1") << "exactly, not as a prefix";
    EXPECT_EQ(plan.ranks.at(1).env.count("GLOO_SOCKET_IFNAME"), 0U) << "not probed";
    job.env = {{"NCCL_SOCKET_IFNAME", "ib0"}};
    EXPECT_EQ(planned(inventory, job, {{"node1", facts}}).ranks.at(0).env.at("NCCL_SOCKET_IFNAME"), "ib0");
    EXPECT_EQ(planned(inventory, program_job({"node1"}), {{"node1", facts}})
                  .ranks.at(0)
                  .env.count("GLOO_SOCKET_IFNAME"),
              0U)
        << "alone";
}

TEST(LaunchPlan, WhatIsSaidOfStrangersIsRefused) {
    const auto inventory = inventory_of({node_called("node1"), node_called("node2")});
    Job job = program_job({"node1"});
    job.master = "node2";
    EXPECT_EQ(refused(inventory, job), "unknown-node");
    job = program_job({"node1"});
    job.all_nodes = true;
    job.devices = {{"node3", {0}}};
    EXPECT_EQ(refused(inventory, job), "unknown-node");
    job = program_job({"node1"});
    job.devices = {{"node1", {2}}};
    EXPECT_EQ(refused(inventory, job, {{"node1", facts_with(2)}}), "no-such-gpu");
    job = program_job({"node1"});
    job.rank_env = {{1, {{"A", "b"}}}};
    EXPECT_EQ(refused(inventory, job), "unknown-rank");
}

TEST(LaunchPlan, TooManyRanksForTheGpusAreRefused) {
    Job job = program_job({"node1"});
    job.procs_per_node = 3;
    EXPECT_EQ(refused(inventory_of({node_called("node1")}), job, {{"node1", facts_with(2)}}),
              "too-many-ranks");
    job.backend = BackendChoice::Gloo;
    EXPECT_EQ(
        planned(inventory_of({node_called("node1")}), job, {{"node1", facts_with(2)}}).ranks.at(2).device,
        "cpu");
}

TEST(LaunchPlan, NcclNeedsGpusAndAnEngineThatUsesThem) {
    Job job = program_job({"node1"});
    job.backend = BackendChoice::Nccl;
    const auto inventory = inventory_of({node_called("node1")});
    EXPECT_EQ(refused(inventory, job, {{"node1", facts_with(0)}}), "no-gpu");
    EXPECT_EQ(planned(inventory, job).notes.size(), 1U) << "not probed: said, not refused";
    Job train = train_job({"node1"});
    train.backend = BackendChoice::Nccl;
    EXPECT_EQ(refused(inventory, train, {{"node1", facts_with(0)}}), "no-gpu");
    EXPECT_EQ(planned(inventory, train, {{"node1", facts_with(2)}}).ranks.size(), 2U);
    (*train.train)["device"] = "cpu";
    EXPECT_EQ(refused(inventory, train, {{"node1", facts_with(2)}}), "device-and-backend");
}

TEST(LaunchPlan, TheNativeEngineTakesGpusWhereItsDeviceIsCuda) {
    Job train = train_job({"node1"});
    (*train.train)["device"] = "cuda";
    const auto inventory = inventory_of({node_called("node1", 4)});
    const auto plan = planned(inventory, train, {{"node1", facts_with(2)}});
    EXPECT_EQ(plan.backend, "nccl");
    ASSERT_EQ(plan.ranks.size(), 2U);
    EXPECT_NE(plan.ranks[1].device, "cpu");
    EXPECT_EQ(refused(inventory, train, {{"node1", facts_with(0)}}), "no-gpu");
    train.backend = BackendChoice::Gloo;
    EXPECT_EQ(refused(inventory, train, {{"node1", facts_with(2)}}), "device-and-backend");
}

TEST(LaunchPlan, TheNativeEngineTakesCpuSlotsWithoutGpus) {
    const auto plan =
        planned(inventory_of({node_called("node1", 4)}), train_job({"node1"}), {{"node1", facts_with(0)}});
    ASSERT_EQ(plan.ranks.size(), 4U);
    EXPECT_EQ(plan.backend, "gloo");
    EXPECT_EQ(plan.ranks[0].command, (std::vector<std::string>{"{worker}", "--config", "{config}"}));
}

LaunchPlan planned_with(bool cuda, const Inventory& inventory, const Job& job, const KnownFacts& facts) {
    auto plan = make_node_plan(inventory, job, facts, EngineParts{.cuda = cuda});
    EXPECT_TRUE(plan) << (plan ? "" : to_line(plan.failure()));
    return plan ? *plan : LaunchPlan{};
}

bool says(const LaunchPlan& plan, const std::string& words) {
    return std::any_of(plan.notes.begin(), plan.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(LaunchPlan, TheNativeEngineTakesTheGpusWhereEveryNodeHasOne) {
    const auto inventory = inventory_of({node_called("node1", 4), node_called("node2", 4)});
    const KnownFacts both{{"node1", facts_with(2)}, {"node2", facts_with(1)}};
    const KnownFacts one{{"node1", facts_with(2)}, {"node2", facts_with(0)}};
    const KnownFacts half{{"node1", facts_with(2)}};
    Job job = train_job({"node1", "node2"});
    for (const char* device : {"", "auto"}) {
        if (*device != '\0') {
            (*job.train)["device"] = device;
        }
        const auto gpus = planned_with(true, inventory, job, both);
        EXPECT_EQ(gpus.backend, "nccl");
        ASSERT_EQ(gpus.ranks.size(), 3U);
        EXPECT_EQ(gpus.ranks[2].device, "cuda:0");
        EXPECT_TRUE(says(gpus, "on GPUs: every node has a GPU"));
        EXPECT_TRUE(says(gpus, "train.device: cpu"));

        const auto mixed = planned_with(true, inventory, job, one);
        EXPECT_EQ(mixed.ranks.front().device, "cpu");
        EXPECT_EQ(mixed.backend, "gloo");
        EXPECT_TRUE(says(mixed, "on CPUs: node2 has no GPU"));
        EXPECT_TRUE(says(planned_with(true, inventory, job, half), "node2 has not been probed"));
        EXPECT_TRUE(says(planned_with(false, inventory, job, both), "no CUDA engine"));
    }
    job.backend = BackendChoice::Gloo;
    EXPECT_EQ(planned_with(true, inventory, job, both).ranks.front().device, "cpu");
    job.backend = BackendChoice::Auto;
    (*job.train)["device"] = "cpu";
    EXPECT_EQ(planned_with(true, inventory, job, both).ranks.front().device, "cpu");
}

TEST(LaunchPlan, PrecisionsThatTheDevicesLackAreRefused) {
    const auto inventory = inventory_of({node_called("node1", 1), node_called("node2", 1)});
    KnownFacts facts{{"node1", facts_with(1)}, {"node2", facts_with(1)}};
    facts["node1"].sample["gpu.0.compute"] = 90;
    facts["node2"].sample["gpu.0.compute"] = 70;
    Job job = train_job({"node1", "node2"});
    const auto refusal = [&](const char* precision) {
        (*job.train)["precision"] = precision;
        const auto plan = make_node_plan(inventory, job, facts, EngineParts{.cuda = true});
        return plan ? std::string() : plan.failure().what;
    };
    for (const char* precision : {"bf16", "tf32"}) {
        const auto what = refusal(precision);
        EXPECT_NE(what.find("GPU 0 of node2 has compute capability 7.0"), std::string::npos) << what;
        EXPECT_NE(what.find(std::string(precision) + " needs 8.0"), std::string::npos) << what;
    }
    EXPECT_EQ(refusal("fp16"), "");
    EXPECT_EQ(refusal("fp32"), "");
    facts["node2"].sample.clear();
    EXPECT_EQ(refusal("bf16"), "") << "what is not known hinders nothing";
    (*job.train)["device"] = "cpu";
    EXPECT_NE(refusal("fp16").find("fp16 needs GPUs"), std::string::npos);
    EXPECT_EQ(refusal("bf16"), "") << "the worker knows its CPU";
    (*job.train)["precision"] = "tf32";
    EXPECT_TRUE(says(planned_with(true, inventory, job, facts), "compute in fp32"));
}

TEST(LaunchPlan, OffersNameWhatCannotBeChosen) {
    const std::vector<NodeSpec> nodes{node_called("node1"), node_called("node2")};
    Job job = train_job({"node1", "node2"});
    const KnownFacts facts{{"node1", facts_with(2)}, {"node2", facts_with(0)}};
    const auto offers = compute_offers(nodes, job, facts, EngineParts{.cuda = true});
    EXPECT_EQ(ComputeOffers::why_not(offers.devices, "cuda"), "node2 has no GPU");
    EXPECT_EQ(ComputeOffers::why_not(offers.devices, "cpu"), "");
    EXPECT_EQ(ComputeOffers::why_not(offers.backends, "nccl"), "node2 has no GPU");
    EXPECT_EQ(ComputeOffers::why_not(offers.backends, "gloo"), "");
    EXPECT_EQ(ComputeOffers::why_not(offers.precisions, "fp16"), "fp16 needs GPUs");
    job.backend = BackendChoice::Nccl;
    const auto nccl = compute_offers(nodes, job, {}, EngineParts{.cuda = true});
    EXPECT_EQ(nccl.device, "cuda");
    EXPECT_NE(ComputeOffers::why_not(nccl.devices, "cpu"), "");
    EXPECT_EQ(ComputeOffers::why_not(nccl.devices, "cuda"), "") << "not known yet";
}

TEST(LaunchPlan, UnknownAndMissingNodesAreNamed) {
    const auto inventory = inventory_of({node_called("node1"), node_called("node2")});
    const auto failure = make_plan(inventory, program_job({"node1", "nod2"}), {}).failure();
    EXPECT_EQ(failure.code, FailureId("unknown-node"));
    EXPECT_NE(failure.what.find("\"nod2\""), std::string::npos);
    EXPECT_NE(failure.remedy.find("local, node1, node2"), std::string::npos);
    EXPECT_EQ(refused(inventory, program_job({})), "no-nodes");
    Job all = program_job({});
    all.all_nodes = true;
    EXPECT_EQ(refused(Inventory{}, all), "no-nodes");
}

TEST(LaunchPlan, LocalNeedsNoInventory) {
    Job job = train_job({"local"});
    job.procs_per_node = 2;
    const auto plan = planned(Inventory{}, job);
    EXPECT_EQ(plan.master_addr, "127.0.0.1");
    EXPECT_EQ(plan.master_node, "local");
    EXPECT_EQ(plan.ranks.size(), 2U);
}

TEST(LaunchPlan, MasterAddressIsOneTheOthersReach) {
    NodeSpec named = node_called("node1");
    named.address = "192.168.1.5";
    const auto inventory = inventory_of({named, node_called("node2"), node_called("node3")});
    const KnownFacts facts{{"node1", facts_with(0, "10.0.0.1")}, {"node2", facts_with(0, "10.0.0.2")}};
    EXPECT_EQ(planned(inventory, train_job({"node1", "node2"}), facts).master_addr, "192.168.1.5")
        << "the inventory's";
    EXPECT_EQ(planned(inventory, train_job({"node2", "node1"}), facts).master_addr, "10.0.0.2")
        << "the connection's";
    EXPECT_EQ(planned(inventory, train_job({"node3", "node1"}), facts).master_addr, "node3.example.org")
        << "the host";
    EXPECT_EQ(planned(inventory, train_job({"node2"}), facts).master_addr, "127.0.0.1") << "alone";
    NodeFacts seen_from_desk = facts_with(0, "10.0.0.2");
    seen_from_desk.desk_address = "10.0.0.99";
    EXPECT_EQ(planned(inventory, train_job({"local", "node2"}), {{"node2", seen_from_desk}}).master_addr,
              "10.0.0.99");
}

TEST(LaunchPlan, APortIsChosenLaterWhenNoneIsAskedFor) {
    Job job = train_job({"local"});
    job.master_port = 0;
    const auto plan = planned(Inventory{}, job);
    EXPECT_EQ(plan.master_port, 0);
    ASSERT_EQ(plan.notes.size(), 2U);
    EXPECT_NE(plan.notes[1].find("free port"), std::string::npos);
    EXPECT_NE(to_text(plan).find("(free port)"), std::string::npos);
}

TEST(LaunchPlan, JsonRoundTrip) {
    Job job = program_job({"node1", "local"});
    job.env = {{"QUOTED", "it's \"x\"\n"}};
    const auto plan = planned(inventory_of({node_called("node1", 2)}), job);
    const auto json = to_json(plan);
    const auto back = plan_from_json(nlohmann::json::parse(json.dump()));
    ASSERT_TRUE(back);
    EXPECT_EQ(to_json(*back), json);
    EXPECT_EQ(to_text(*back), to_text(plan));
}

TEST(LaunchPlan, OtherJsonIsRefusedWithoutAnException) {
    for (
        const char* text :
        {"null", "[]", "{}", "5", R"({"job":1})",
         R"({"job":"a","backend":"b","world_size":1e300,"master_node":"","master_addr":"","master_port":0,"nodes":[],"ranks":[]})",
         R"({"job":"a","backend":"b","world_size":"x","master_node":"","master_addr":"","master_port":0,"nodes":[],"ranks":[]})",
         R"({"job":"a","backend":"b","world_size":1,"master_node":"","master_addr":"","master_port":0,"nodes":[1],"ranks":[]})",
         R"({"job":"a","backend":"b","world_size":1,"master_node":"","master_addr":"","master_port":0,"nodes":[],"ranks":[{}]})",
         R"({"job":"a","backend":"b","world_size":1,"master_node":"","master_addr":"","master_port":0,"nodes":[],"ranks":[],"notes":3})"}) {
        EXPECT_FALSE(plan_from_json(nlohmann::json::parse(text))) << text;
    }
    EXPECT_FALSE(plan_from_json(nlohmann::json(nlohmann::json::value_t::discarded)));
}

TEST(LaunchPlan, TheLocalRankStandsBehindTheScript) {
    struct Row {
        LocalRankArgument argument;
        std::vector<std::string> command;
        std::vector<std::string> expected;  ///< of local rank 1
    };
    const std::vector<Row> table{
        {LocalRankArgument::None, {"python3", "a.py"}, {"python3", "a.py"}},
        {LocalRankArgument::Dash, {"python3", "a.py", "--x"}, {"python3", "a.py", "--local-rank=1", "--x"}},
        {LocalRankArgument::Underscore,
         {"python3", "-u", "train.py", "--cfg", "c.yaml", "OUT_DIR", "x"},
         {"python3", "-u", "train.py", "--local_rank=1", "--cfg", "c.yaml", "OUT_DIR", "x"}},
        {LocalRankArgument::Dash,
         {"python3", "-m", "pkg.train", "5"},
         {"python3", "-m", "pkg.train", "--local-rank=1", "5"}},
        {LocalRankArgument::Dash, {"./train", "5"}, {"./train", "5", "--local-rank=1"}},
        {LocalRankArgument::Dash, {"python3", "-m"}, {"python3", "-m", "--local-rank=1"}},
    };
    for (const auto& row : table) {
        Job job = program_job({"local"});
        job.procs_per_node = 2;
        job.command = row.command;
        job.own.local_rank_argument = row.argument;
        const auto plan = planned(Inventory{}, job);
        ASSERT_EQ(plan.ranks.size(), 2U);
        EXPECT_EQ(plan.ranks[1].command, row.expected);
    }
}

TEST(LaunchPlan, TextCanBePastedIntoAShell) {
    Job job = program_job({"local"});
    job.procs_per_node = 1;
    job.command = {"python3", "-c", "print('it')"};
    job.env = {{"A", "two words"}};
    const std::string text = to_text(planned(Inventory{}, job));
    EXPECT_NE(text.find("test: 1 rank on 1 node, backend gloo, master local at 127.0.0.1:29500"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(" A='two words'"), std::string::npos) << text;
    EXPECT_NE(text.find(R"( python3 -c 'print('\''it'\'')')"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 0  local  cpu  local rank 0"), std::string::npos) << text;
}

// The job of somebody else: the user copies its command from the plan.
TEST(LaunchPlan, NoPartOfAPastedCommandIsACommand) {
    const test::TemporaryFolder folder;
    const std::string mark = (folder / "mark").string();
    for (const auto& attack : test::hostile_texts(mark)) {
        Job job = program_job({"local"});
        job.procs_per_node = 1;
        job.command = {"true", attack};
        job.env = {{attack, "1"}, {attack + "_TOKEN", "1"}, {"A", attack}};
        const std::string text = to_text(planned(Inventory{}, job));
        const auto command = text.find("\n ", text.find("\nrank 0  "));
        ASSERT_NE(command, std::string::npos) << text;
        (void)test::run_program({"sh", "-c", text.substr(command)});
        EXPECT_FALSE(std::filesystem::exists(mark)) << text;
    }
}

}  // namespace
}  // namespace rankscope
