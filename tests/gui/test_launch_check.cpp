// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/launch_check.h>
#include <gui/launch/run_conflicts.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>

#include <tests/gui/gui_test.h>

namespace rankscope::gui::testing {
namespace {

Job mnist() {
    Job job;
    job.name = "mnist";
    job.nodes = {"local"};
    job.train = {{"model", "convnet"},
                 {"dataset", {{"name", "mnist"}}},
                 {"epochs", 2},
                 {"optimizer", {{"name", "sgd"}, {"lr", 0.01}}}};
    return job;
}

TEST(LaunchState, EveryStateThatDisablesStartGivesItsReason) {
    LaunchState good;
    good.inventory_read = good.store_settled = good.nodes_chosen = true;
    ASSERT_TRUE(good.is_ready()) << qPrintable(good.reason());
    const auto disabled = [&](auto change) {
        LaunchState state = good;
        change(state);
        return !state.is_ready() && !state.reason().isEmpty();
    };
    EXPECT_TRUE(disabled([](LaunchState& s) { s.inventory_read = false; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.inventory_fine = false; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.store_settled = false; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.job_file_fine = false; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.nodes_chosen = false; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.wrong_fields = 2; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.planning = true; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.conflict = u"The run a uses port 29500."_s; }));
    EXPECT_TRUE(disabled([](LaunchState& s) { s.plan_failure = Failure{"no-gpu", "", "no GPU", "", ""}; }));
}

LaunchPlan plan_of(const std::string& node, int port, const std::vector<std::string>& devices,
                   const std::string& address = "10.0.0.1") {
    LaunchPlan plan;
    plan.master_node = node;
    plan.master_addr = address;
    plan.master_port = port;
    for (const std::string& device : devices) {
        RankPlan rank;
        rank.node = node;
        rank.device = device;
        plan.ranks.push_back(rank);
    }
    return plan;
}

TEST(RunConflicts, APortInUseIsAFaultAndASharedGpuAWarning) {
    const std::vector<RunningPlan> running{{"first", plan_of("node1", 29500, {"cuda:0", "cuda:1"})}};
    const RunConflicts same = run_conflicts(plan_of("node1", 29500, {"cuda:1", "cuda:2"}), running);
    EXPECT_TRUE(same.fault.contains(u"The run first uses port 29500 of node1"_s)) << qPrintable(same.fault);
    EXPECT_TRUE(same.warning.contains(u"first"_s) && same.warning.contains(u"node1: cuda:1)"_s))
        << qPrintable(same.warning);
    const RunConflicts beside = run_conflicts(plan_of("node1", 29501, {"cuda:2"}), running);
    EXPECT_TRUE(beside.fault.isEmpty() && beside.warning.isEmpty());
    EXPECT_TRUE(run_conflicts(plan_of("node1", 0, {"cpu"}), running).fault.isEmpty()) << "a free port";
    EXPECT_FALSE(run_conflicts(plan_of("alias", 29500, {"cpu"}), running).fault.isEmpty())
        << "the same machine by another name";
    const std::vector<RunningPlan> alone{{"first", plan_of("node1", 29500, {"cpu"}, "127.0.0.1")}};
    EXPECT_TRUE(run_conflicts(plan_of("node2", 29500, {"cpu"}, "127.0.0.1"), alone).fault.isEmpty());
    EXPECT_TRUE(run_conflicts(plan_of("node1", 29500, {"cuda:0"}), {}).fault.isEmpty());
}

TEST(JobTexts, GoThereAndBack) {
    const CheckedJob checked = check_job_texts(mnist(), texts_of(mnist()));
    EXPECT_TRUE(checked.errors.empty());
    EXPECT_EQ((*checked.job.train)["optimizer"]["lr"], 0.01);
    EXPECT_EQ((*checked.job.train)["epochs"], 2);
    EXPECT_EQ((*checked.job.train)["dataset"]["name"], "mnist");
}

TEST(JobTexts, WrongValuesNameTheirField) {
    JobTexts texts = texts_of(mnist());
    texts.lr = u"fast"_s;
    texts.epochs = u"-1"_s;
    texts.master_port = u"70000"_s;
    texts.procs_per_node = u"many"_s;
    texts.name = u"  "_s;
    const auto errors = check_job_texts(mnist(), texts).errors;
    for (const char* field : {"optimizer.lr", "epochs", "master_port", "procs_per_node", "name"}) {
        ASSERT_TRUE(errors.contains(field)) << field;
        EXPECT_FALSE(errors.at(field).isEmpty());
    }
    EXPECT_EQ(errors.size(), 5U);
}

TEST(JobTexts, WhatTheFormDoesNotKnowStays) {
    Job job = mnist();
    job.env = {{"NCCL_DEBUG", "INFO"}};
    (*job.train)["seed"] = 7;
    (*job.train)["dataset"]["limit"] = 500;
    JobTexts texts = texts_of(job);
    texts.dataset = u"synthetic-digits"_s;
    const Job out = check_job_texts(job, texts).job;
    EXPECT_EQ(out.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ((*out.train)["seed"], 7);
    EXPECT_EQ((*out.train)["dataset"]["limit"], 500);
    EXPECT_EQ((*out.train)["dataset"]["name"], "synthetic-digits");
}

TEST(JobTexts, AnOwnProgramGetsNoTrainSection) {
    Job job;
    job.name = "own";
    job.command = {"python3", "train.py"};
    const CheckedJob checked = check_job_texts(job, texts_of(job));
    EXPECT_TRUE(checked.errors.empty());
    EXPECT_FALSE(checked.job.train.has_value());
}

TEST(JobTexts, TheProgramIsChosenTypedAndLeftAgain) {
    Job job;
    job.name = "own";
    JobTexts texts = texts_of(job);
    texts.own = true;
    CheckedJob checked = check_job_texts(job, texts);
    EXPECT_TRUE(checked.errors.contains("command")) << "which one?";
    texts.command = u"python3 'my train.py' --lr 0.1"_s;
    checked = check_job_texts(job, texts);
    EXPECT_TRUE(checked.errors.empty());
    EXPECT_EQ(checked.job.command, (std::vector<std::string>{"python3", "my train.py", "--lr", "0.1"}));
    EXPECT_FALSE(checked.job.train.has_value());
    texts.command = u"python3 a.py | tee log"_s;
    EXPECT_TRUE(check_job_texts(job, texts).errors.contains("command")) << "no shell runs it";

    const Job own = checked.job;
    texts = texts_of(own);
    texts.own = false;
    checked = check_job_texts(own, texts);
    EXPECT_TRUE(checked.errors.empty());
    EXPECT_TRUE(checked.job.command.empty());
    EXPECT_TRUE(checked.job.train.has_value());
}

constexpr const char* kWholeJob = R"(name: whole
nodes: [node1, node2]
master: node2
rank_order: cyclic
procs_per_node: { node1: 4, node2: 2 }
devices: { node2: [1, 3] }
backend: gloo
master_port: 0
interface: eth1
env: { A: "1" }
node_env: { node1: { B: "2" } }
rank_env: { 0: { C: "3" } }
on_failure: { grace_s: 7, max_restarts: 2, peer_timeout_s: 20, stopped_limit_s: 60 }
checkpoint: { signal: USR2, wait_s: 45 }
telemetry: { every_s: 5 }
command: [python3, train.py, --lr, "0.1"]
workdir: ~/proj
push: [train.py, "my data"]
local_rank_argument: --local-rank
venv: ~/venvs/torch
log_dir: ~/logs
metrics: { lines: false, patterns: ["it {step} margin {margin}"] }
)";

TEST(JobTexts, AWholeJobPassesThroughTheFormUnchanged) {
    const JobRead read = parse_job(kWholeJob, "whole.yaml");
    ASSERT_TRUE(read.problems.empty()) << to_line(read.problems.front());
    CheckedJob checked = check_job_texts(read.job, texts_of(read.job));
    check_as_file(checked);
    EXPECT_TRUE(checked.errors.empty()) << checked.errors.begin()->first;
    EXPECT_EQ(to_yaml(checked.job), to_yaml(read.job));
}

TEST(JobTexts, ASlurmJobPassesThroughTheFormUnchanged) {
    const JobRead read = parse_job(
        "name: s\nlauncher: slurm\nslurm: { login: login1, nodes: 3, partition: gpu, account: me, qos: high, "
        "time: \"01:00:00\", gres: \"gpu:4\", extra: [--mem=32G, \"--comment=two words\"] }\n"
        "command: [python3, a.py]\n",
        "s.yaml");
    ASSERT_TRUE(read.problems.empty()) << to_line(read.problems.front());
    CheckedJob checked = check_job_texts(read.job, texts_of(read.job));
    check_as_file(checked);
    EXPECT_TRUE(checked.errors.empty()) << checked.errors.begin()->first;
    EXPECT_EQ(to_yaml(checked.job), to_yaml(read.job));
    EXPECT_EQ(slurm_options(checked.job).qos, "high");
}

TEST(JobTexts, UnderSlurmNothingNamesNodes) {
    Job job = parse_job(kWholeJob, "whole.yaml").job;
    job.max_restarts = 0;                       // the reader of job files refuses both together
    job.peer_timeout_s = Job().peer_timeout_s;  // and this for own programs
    JobTexts texts = texts_of(job);
    texts.launcher = u"slurm"_s;
    texts.submit_node = u"login1"_s;
    texts.procs_per_node = u"auto"_s;
    CheckedJob checked = check_job_texts(job, texts);
    check_as_file(checked);
    EXPECT_TRUE(checked.errors.empty()) << checked.errors.begin()->first;
    EXPECT_EQ(submit_node(checked.job), "login1");
    EXPECT_TRUE(checked.job.nodes.empty());
    EXPECT_EQ(checked.job.env.at("A"), "1");
}

TEST(JobTexts, WrongOptionsNameTheirField) {
    Job job;
    job.name = "own";
    job.command = {"python3", "train.py"};
    JobTexts texts = texts_of(job);
    texts.launcher = u"slurm"_s;
    texts.submit_node = u"login1"_s;
    texts.python = u"venv"_s;
    texts.patterns = {u"it {step} {"_s};
    CheckedJob checked = check_job_texts(job, texts);
    check_as_file(checked);
    for (const char* field : {"venv", "metrics.patterns"}) {
        ASSERT_TRUE(checked.errors.contains(field)) << field;
        EXPECT_FALSE(checked.errors.at(field).isEmpty()) << field;
    }
    EXPECT_EQ(checked.errors.size(), 2U);
}

TEST(JobTexts, HoldOneKindOfPythonEnvironment) {
    Job job;
    job.name = "own";
    job.command = {"python3", "train.py"};
    job.environment.uv = "uv.lock";
    job.environment.extras = {"cu128"};
    JobTexts texts = texts_of(job);
    EXPECT_EQ(texts.python, u"uv"_s);
    EXPECT_EQ(texts.python_env, u"uv.lock"_s);
    EXPECT_EQ(check_job_texts(job, texts).job.environment, job.environment);
    texts.python = u"venv"_s;
    texts.python_env = u"~/v"_s;
    const Job other = check_job_texts(job, texts).job;
    EXPECT_EQ(other.own.venv, "~/v");
    EXPECT_EQ(other.environment, JobEnvironment());
    texts.python = u"requirements"_s;
    texts.python_env.clear();
    EXPECT_TRUE(check_job_texts(job, texts).errors.at("venv").contains(u"requirements.txt"_s));
}

TEST(JobTexts, RanksPerNodeMayDifferByNode) {
    const Job job = parse_job(kWholeJob, "whole.yaml").job;
    JobTexts texts = texts_of(job);
    EXPECT_EQ(texts.procs_per_node, u"node1: 4, node2: 2"_s);
    texts.procs_per_node = u"node1: 3,node2:1"_s;
    EXPECT_EQ(check_job_texts(job, texts).job.procs_of_node,
              (std::map<std::string, int>{{"node1", 3}, {"node2", 1}}));
    texts.procs_per_node = u"5"_s;
    const Job five = check_job_texts(job, texts).job;
    EXPECT_EQ(five.procs_per_node, 5);
    EXPECT_TRUE(five.procs_of_node.empty()) << "the field wins";
    for (const char16_t* wrong : {u"node1: x", u"node1: 0", u": 3", u"node1: 2, 3"}) {
        texts.procs_per_node = QString::fromUtf16(wrong);
        EXPECT_TRUE(check_job_texts(job, texts).errors.contains("procs_per_node"))
            << qPrintable(texts.procs_per_node);
    }
    texts.procs_per_node = u"node1: 3"_s;
    texts.launcher = u"slurm"_s;
    EXPECT_TRUE(check_job_texts(job, texts).errors.contains("procs_per_node"));
}

TEST(JobTexts, WordsGoThereAndBack) {
    const std::vector<std::string> words{"train.py", "my data", "it's", "--lr=0.1", ""};
    QString why;
    EXPECT_EQ(split_words(join_words(words), &why), words);
    EXPECT_TRUE(why.isEmpty());
    split_words(u"a; b"_s, &why);
    EXPECT_FALSE(why.isEmpty());
}

}  // namespace
}  // namespace rankscope::gui::testing
