// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/jobs/launchers/slurm/slurm_plan.h>
#include <remote/desk/nodes/session/slurm_failures.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/wire/slurm_exit.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

Inventory inventory() {
    Inventory inventory;
    inventory.nodes.resize(1);
    inventory.nodes[0].name = inventory.nodes[0].host = "login1";
    return inventory;
}

Job slurm_job(int nodes, int procs, const std::string& gres = {}) {
    Job job;
    job.file = "job.yaml";
    job.name = "my job";
    job.launcher = kSlurmLauncher;
    slurm_options(job).login = "login1";
    slurm_options(job).nodes = nodes;
    slurm_options(job).gres = gres;
    job.procs_per_node = procs;
    job.command = {"python3", "train.py"};
    return job;
}

TEST(SlurmPlan, RanksAreKnownBeforeTheNodesAre) {
    const auto plan = make_plan(inventory(), slurm_job(2, 2), {});
    ASSERT_TRUE(plan) << to_line(plan.failure());
    EXPECT_EQ(plan->world_size, 4);
    ASSERT_EQ(plan->nodes.size(), 2U);
    EXPECT_EQ(plan->nodes[1].node, "slurm[1]");
    const RankPlan& rank = plan->ranks[3];
    EXPECT_EQ(rank.node, "slurm[1]");
    EXPECT_EQ(rank.env.at("RANK"), "3");
    EXPECT_EQ(rank.env.at("LOCAL_RANK"), "1");
    EXPECT_EQ(rank.env.at("GROUP_RANK"), "1");
    EXPECT_EQ(rank.env.at("MASTER_ADDR"), kMasterAddrPlaceholder);
    EXPECT_EQ(rank.env.at("MASTER_PORT"), "29500");
    EXPECT_EQ(rank.env.at("SLURM_PROCID"), "3");
    EXPECT_EQ(rank.env.at("SLURM_LOCALID"), "1");
    EXPECT_EQ(rank.env.at("SLURM_NTASKS"), "4");
    EXPECT_EQ(rank.env.at("SLURM_TASKS_PER_NODE"), "2(x2)");
    EXPECT_EQ(rank.device, "cpu");
    ASSERT_FALSE(plan->notes.empty());
    EXPECT_NE(
        plan->notes[0].find("login1: sbatch --job-name=my-job --nodes=2 --ntasks-per-node=2 --no-requeue"),
        std::string::npos)
        << plan->notes[0];
}

TEST(SlurmPlan, AutoIsAsManyRanksAsGpus) {
    const auto plan = make_plan(inventory(), slurm_job(2, 0, "gpu:a100:4"), {});
    ASSERT_TRUE(plan) << to_line(plan.failure());
    EXPECT_EQ(plan->world_size, 8);
    EXPECT_EQ(plan->backend, "nccl");
    EXPECT_EQ(plan->ranks[5].device, "cuda:1");
    EXPECT_FALSE(plan->ranks[5].env.contains("CUDA_VISIBLE_DEVICES")) << "Slurm's own";
    EXPECT_EQ(make_plan(inventory(), slurm_job(3, 0), {})->world_size, 3);
}

TEST(SlurmPlan, TheJobsEnvironmentHasTheLastWord) {
    Job job = slurm_job(1, 1);
    job.env = {{"SLURM_PROCID", "7"}, {"CUDA_VISIBLE_DEVICES", "3"}, {"MASTER_PORT", "1"}};
    job.master_port = 0;
    const auto plan = make_plan(inventory(), job, {});
    ASSERT_TRUE(plan);
    for (const auto& [key, value] : job.env) {
        EXPECT_EQ(plan->ranks[0].env.at(key), value);
    }
}

TEST(SlurmPlan, TheAllocationFillsInNamesAndMaster) {
    Job job = slurm_job(2, 2);
    job.master_port = 0;
    job.command = {"train", "--init=tcp://{master_addr}:{master_port}", "{node}/{address}/{rank}"};
    const auto plan = make_plan(inventory(), job, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->ranks[0].env.at("MASTER_PORT"), kMasterPortPlaceholder);
    const auto placed = with_allocation(*plan, {"gpu07", "gpu12"}, 10012);
    EXPECT_EQ(placed.master_node, "gpu07");
    EXPECT_EQ(placed.master_addr, "gpu07");
    EXPECT_EQ(placed.master_port, 10012);
    EXPECT_EQ(placed.nodes[1].node, "gpu12");
    EXPECT_EQ(placed.ranks[1].node, "gpu07");
    EXPECT_EQ(placed.ranks[2].node, "gpu12");
    EXPECT_EQ(placed.ranks[1].command[2], "gpu07/gpu07/1");
    EXPECT_EQ(placed.ranks[3].command[2], "gpu12/gpu12/3");
    for (const auto& rank : placed.ranks) {
        EXPECT_EQ(rank.command[1], "--init=tcp://gpu07:10012");
        EXPECT_EQ(rank.env.at("MASTER_ADDR"), "gpu07");
        EXPECT_EQ(rank.env.at("MASTER_PORT"), "10012");
    }
}

TEST(SlurmPlan, WhatCannotBe) {
    Job unknown = slurm_job(1, 1);
    slurm_options(unknown).login = "nowhere";
    const auto no_login = make_plan(inventory(), unknown, {});
    ASSERT_FALSE(no_login);
    EXPECT_EQ(no_login.failure().code, FailureId("unknown-node"));
    EXPECT_NE(no_login.failure().what.find("slurm.login"), std::string::npos) << no_login.failure().what;

    Job nccl = slurm_job(1, 1);
    nccl.backend = BackendChoice::Nccl;
    const auto no_gpu = make_plan(inventory(), nccl, {});
    ASSERT_FALSE(no_gpu);
    EXPECT_NE(no_gpu.failure().remedy.find("gres"), std::string::npos);

    const auto too_many = make_plan(inventory(), slurm_job(4096, 1024), {});
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.failure().code, FailureId("too-many-ranks"));
    EXPECT_FALSE(make_plan(inventory(), slurm_job(1, 4, "gpu:2"), {})) << "more ranks than GPUs";
}

TEST(SlurmPlan, EveryWishReachesSbatch) {
    Job job = slurm_job(2, 1);
    slurm_options(job).partition = "gpu";
    slurm_options(job).account = "lab";
    slurm_options(job).qos = "high";
    slurm_options(job).time = "00:10:00";
    slurm_options(job).gres = "gpu:1";
    slurm_options(job).extra = {"--mem=4G"};
    EXPECT_EQ(sbatch_arguments(job, 1),
              (std::vector<std::string>{"--job-name=my-job", "--nodes=2", "--ntasks-per-node=1",
                                        "--partition=gpu", "--account=lab", "--qos=high", "--time=00:10:00",
                                        "--gres=gpu:1", "--mem=4G", "--no-requeue"}));
}

wire::SlurmState ended(const std::string& state, int exit_code = 0) {
    wire::SlurmState reported;
    reported.set_job_id(12);
    reported.set_state(state);
    reported.set_exit_code(exit_code);
    reported.set_time_limit("00:10:00");
    reported.mutable_allocation()->add_hosts("gpu07");
    return reported;
}

TEST(SlurmFailures, EveryEndOfSlurmsHasItsSentence) {
    NodeSpec login;
    login.name = "login1";
    const auto code_of = [&](const wire::SlurmState& state, bool by_us = false) {
        const auto failure = explain_slurm_end(login, state, by_us);
        if (!failure) {
            return std::string();
        }
        EXPECT_NE(failure->what.find("12"), std::string::npos) << failure->what;
        EXPECT_FALSE(failure->remedy.empty());
        EXPECT_EQ(failure->where, "login1");
        return failure->code.str();
    };
    EXPECT_EQ(code_of(ended("TIMEOUT")), "slurm-time-limit");
    EXPECT_EQ(code_of(ended("DEADLINE")), "slurm-time-limit");
    EXPECT_EQ(code_of(ended("PREEMPTED")), "slurm-preempted");
    EXPECT_EQ(code_of(ended("NODE_FAIL")), "slurm-node-failed");
    EXPECT_EQ(code_of(ended("BOOT_FAIL")), "slurm-node-failed");
    EXPECT_EQ(code_of(ended("OUT_OF_MEMORY")), "slurm-out-of-memory");
    EXPECT_EQ(code_of(ended("CANCELLED")), "slurm-cancelled");
    EXPECT_EQ(code_of(ended("CANCELLED"), true), "");
    EXPECT_EQ(code_of(ended("COMPLETED")), "");
    EXPECT_EQ(code_of(ended("FAILED", 1)), "") << "the ranks' exits decide";
    EXPECT_EQ(code_of(ended("FAILED", kSlurmExitNotShared)), "home-not-shared");
    EXPECT_EQ(code_of(ended("FAILED", kSlurmExitNoExec)), "no-exec");
    auto early = ended("FAILED", 1);
    early.clear_allocation();
    EXPECT_EQ(code_of(early), "slurm-job-failed");
}

TEST(SlurmFailures, RefusalsAreSlurmsWordsWithARemedy) {
    NodeSpec login;
    login.name = "login1";
    wire::Failure refused;
    refused.set_code("slurm-refused");
    const auto remedy = [&](const std::string& said) {
        refused.set_detail("sbatch: error: " + said + '\n');
        const auto failure = explain_slurm_failure(login, refused);
        EXPECT_NE(failure.what.find(said), std::string::npos) << failure.what;
        EXPECT_EQ(failure.what.find("sbatch: error"), std::string::npos) << failure.what;
        return failure.remedy;
    };
    EXPECT_NE(remedy("invalid partition specified: x").find("slurm.partition"), std::string::npos);
    EXPECT_NE(remedy("Invalid account or account/partition combination specified").find("slurm.account"),
              std::string::npos);
    EXPECT_NE(remedy("Invalid qos specification").find("slurm.qos"), std::string::npos);
    EXPECT_NE(remedy("Requested time limit is invalid (missing or exceeds some limit)").find("slurm.time"),
              std::string::npos);
    EXPECT_NE(remedy("Unable to contact slurm controller (connect failure)").find("scontrol ping"),
              std::string::npos);
    EXPECT_FALSE(remedy("something new").empty());
}

TEST(SlurmFailures, TheQueueIsReportedWithReasonAndEstimate) {
    wire::SlurmState state;
    state.set_job_id(12);
    state.set_state("PENDING");
    state.set_reason("Resources");
    EXPECT_EQ(describe_slurm_queue(state), "job 12: PENDING (Resources: waits for nodes to become free)");
    state.set_start_us(1000000);
    EXPECT_NE(describe_slurm_queue(state).find(", start estimated "), std::string::npos);
    state.set_reason("BadConstraints");
    state.set_problem("no answer");
    EXPECT_NE(describe_slurm_queue(state).find("(BadConstraints)"), std::string::npos);
    EXPECT_NE(describe_slurm_queue(state).find("no answer"), std::string::npos);
}

TEST(SlurmFailures, NodesAtFaultAreNamedWithTheReasonOfTheAdministrator) {
    wire::SlurmState state;
    state.set_job_id(12);
    state.set_state("PENDING");
    state.set_reason("ReqNodeNotAvail,_UnavailableNodes:node3");
    auto* node = state.add_unfit();
    node->set_name("node3");
    node->set_state("drained");
    node->set_reason("disk replaced");
    EXPECT_EQ(
        describe_slurm_queue(state),
        "job 12: PENDING (ReqNodeNotAvail: nodes are down or reserved): node3 is drained (disk replaced)");
    state.set_reason("Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved");
    EXPECT_EQ(describe_slurm_queue(state).find('_'), std::string::npos) << describe_slurm_queue(state);
    NodeSpec login;
    login.name = "login1";
    state.set_state("NODE_FAIL");
    const auto failure = explain_slurm_end(login, state, false);
    ASSERT_TRUE(failure);
    EXPECT_NE(failure->what.find("node3"), std::string::npos) << failure->what;
}

TEST(SlurmFailures, NothingIsInventedOfAJobThatSlurmHasForgotten) {
    wire::SlurmState state;
    state.set_job_id(12);
    state.set_state("FORGOTTEN");
    const std::string end = describe_slurm_end(state);
    EXPECT_EQ(end.find("0:0"), std::string::npos) << end;
    EXPECT_EQ(end.find("elapsed"), std::string::npos) << end;
    state.set_state("CANCELLED");
    state.set_reason("JobHeldUser");
    EXPECT_EQ(describe_slurm_queue(state), "job 12: CANCELLED") << "a reason of before";
}

}  // namespace
}  // namespace rankscope
