// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/problems.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/shared/yaml_tree.h>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <clocale>
#include <cstdlib>

namespace rankscope {
namespace {

using test::ExpectedProblem;

JobRead read_of(const std::string& yaml) {
    return parse_job(yaml, "j.yaml");
}

Job good_job(const std::string& yaml) {
    auto read = read_of(yaml);
    EXPECT_TRUE(read.problems.empty()) << yaml << test::all_of(read.problems);
    return read.job;
}

constexpr const char* kContract = R"(name: mnist-convnet
nodes: [node1, node2]          # or "all", or "local" (this machine, no SSH)
procs_per_node: auto           # auto = GPUs, else cpu_slots; or a number
backend: auto                  # auto | nccl | gloo
master_port: 29500             # 0 = choose a free one on the master
interface: auto                # auto = chosen by preflight; or eth0
env: { NCCL_DEBUG: INFO }
launcher: ssh                  # ssh | slurm
on_failure: { grace_s: 5, max_restarts: 0 }
train:                         # native engine …
  model: convnet
  dataset: { name: mnist, root: ~/datasets/mnist }
  epochs: 2
  batch_size: 100              # per rank
  optimizer: { name: sgd, lr: 1.0e-4, momentum: 0 }
)";

TEST(Job, ReadsTheExampleOfTheContract) {
    const auto read = read_of(kContract);
    ASSERT_TRUE(read.problems.empty()) << test::all_of(read.problems);
    EXPECT_EQ(read.yaml, kContract) << "the text as it was goes to the store";
    const Job& job = read.job;
    EXPECT_EQ(job.name, "mnist-convnet");
    EXPECT_EQ(job.nodes, (std::vector<std::string>{"node1", "node2"}));
    EXPECT_FALSE(job.all_nodes);
    EXPECT_EQ(job.procs_per_node, 0);
    EXPECT_EQ(job.backend, BackendChoice::Auto);
    EXPECT_EQ(job.master_port, 29500);
    EXPECT_EQ(job.interface_name, "auto");
    EXPECT_EQ(job.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ(job.grace_s, 5);
    ASSERT_TRUE(job.train);
    EXPECT_EQ((*job.train)["optimizer"]["lr"], 1e-4);
    EXPECT_EQ((*job.train)["dataset"]["root"], "~/datasets/mnist");
    EXPECT_TRUE(job.command.empty());
}

TEST(Job, ReadsAProgramOfTheUsers) {
    const auto job = good_job(
        "nodes: all\ncommand: [python3, 'multi node.py', --lr, 0.1, \"\", yes]\nworkdir: ~/proj\n"
        "backend: gloo\nmaster_port: 0\nprocs_per_node: 3\nenv: {A: 1, B: , C: 'x=y'}\n");
    EXPECT_TRUE(job.all_nodes);
    EXPECT_EQ(job.name, "j") << "the file's name";
    EXPECT_EQ(job.command, (std::vector<std::string>{"python3", "multi node.py", "--lr", "0.1", "", "yes"}));
    EXPECT_EQ(job.env, (std::map<std::string, std::string>{{"A", "1"}, {"B", ""}, {"C", "x=y"}}));
    EXPECT_EQ(job.procs_per_node, 3);
    EXPECT_EQ(job.master_port, 0);
    EXPECT_EQ(job.backend, BackendChoice::Gloo);
    EXPECT_EQ(good_job("nodes: local\ncommand: [x]\n").nodes, std::vector<std::string>{"local"});
}

std::string job_with(const std::string& lines) {
    return "nodes: [a]\ncommand: [x]\n" + lines;
}

std::string slurm_with(const std::string& line) {
    return "launcher: slurm\ncommand: [x]\n" + line;
}

std::string train_with(const std::string& lines) {
    return "nodes: [a]\ntrain:\n  model: convnet\n  dataset: mnist\n" + lines;
}

TEST(Job, ReadsASlurmSection) {
    const auto job = good_job(
        "launcher: slurm\ncommand: [x]\nslurm: {login: login1, nodes: 4, partition: gpu, account: lab, qos: "
        "high, "
        "time: 1-00:00:00, gres: 'gpu:a100:8', extra: [--mem=64G, --exclusive]}\n");
    ASSERT_TRUE(job.launcher_options.contains(kSlurmLauncher));
    EXPECT_EQ(job.launcher, kSlurmLauncher);
    EXPECT_EQ(
        slurm_options(job),
        (SlurmOptions{
            "login1", 4, "gpu", "lab", "high", "1-00:00:00", "gpu:a100:8", {"--mem=64G", "--exclusive"}}));
    EXPECT_TRUE(job.nodes.empty());
    const auto again = good_job(to_yaml(job));
    EXPECT_EQ(slurm_options(again), slurm_options(job));
    EXPECT_EQ(to_yaml(again), to_yaml(job));
}

TEST(Job, GpusOfASlurmSection) {
    const auto gpus = [](const std::string& gres) {
        SlurmOptions options;
        options.gres = gres;
        return gpus_per_node(options);
    };
    EXPECT_EQ(gpus(""), 0);
    EXPECT_EQ(gpus("gpu"), 1);
    EXPECT_EQ(gpus("gpu:4"), 4);
    EXPECT_EQ(gpus("gpu:a100:8"), 8);
    EXPECT_EQ(gpus("gpu=2"), 2);
    EXPECT_EQ(gpus("gres:gpu:3"), 3);
    EXPECT_EQ(gpus("gpu:a100:2,nvme:1,gpu:h100:1"), 3);
    EXPECT_EQ(gpus("gpux:4,license:2"), 0);
    EXPECT_EQ(gpus("gpu:x"), 1);
}

TEST(Job, EveryFaultNamesFileLineKeyAndRemedy) {
    const std::vector<ExpectedProblem> table{
        {"list at the top", "- a\n", "j.yaml:1", "the file must hold a mapping", "nodes:"},
        {"no nodes", "command: [x]\n", "j.yaml:1", "nodes: missing", "nodes: [node1, node2]"},
        {"null nodes", "nodes:\ncommand: [x]\n", "j.yaml:1", "nodes: missing", "nodes: [node1, node2]"},
        {"no node", "command: [x]\nnodes: []\n", "j.yaml:2", "nodes: the list is empty", "local"},
        {"node twice", "command: [x]\nnodes: [a, b, a]\n", "j.yaml:2", "\"a\" is there twice",
         "procs_per_node"},
        {"stranger as master", "nodes: [a]\ncommand: [x]\nmaster: b\n", "j.yaml:3",
         "master: \"b\" is not one of the nodes", "nodes:"},
        {"order", "nodes: [a]\ncommand: [x]\nrank_order: random\n", "j.yaml:3", "\"random\" is not known",
         "block, cyclic"},
        {"procs of a stranger", "nodes: [a]\ncommand: [x]\nprocs_per_node: {b: 1}\n", "j.yaml:3",
         "procs_per_node: \"b\" is not one of the nodes", "nodes:"},
        {"procs of a node", "nodes: [a]\ncommand: [x]\nprocs_per_node: {a: 0}\n", "j.yaml:3",
         "procs_per_node.a: \"0\" is out of range", "1 to 1024"},
        {"devices list", "nodes: [a]\ncommand: [x]\ndevices: [0]\n", "j.yaml:3",
         "devices: a list is not a mapping", "devices: { node1: [0, 2] }"},
        {"device word", "nodes: [a]\ncommand: [x]\ndevices: {a: [cuda]}\n", "j.yaml:3",
         "devices.a: \"cuda\" is not the index of a GPU", "[0, 2]"},
        {"device twice", "nodes: [a]\ncommand: [x]\ndevices: {a: [1, 1]}\n", "j.yaml:3",
         "devices.a: GPU 1 is there twice", "[0, 2]"},
        {"node env", "nodes: [a]\ncommand: [x]\nnode_env: {a: 3}\n", "j.yaml:3",
         "node_env.a: \"3\" is not a mapping", "NAME: value"},
        {"rank word", "nodes: [a]\ncommand: [x]\nrank_env: {first: {A: b}}\n", "j.yaml:3",
         "rank_env.first: \"first\" is not a rank", "rank_env: { 0:"},
        {"nodes mapping", "command: [x]\nnodes: {a: b}\n", "j.yaml:2", "nodes: a mapping is not a list",
         "[first, second]"},
        {"nodes nested", "command: [x]\nnodes: [[a]]\n", "j.yaml:2", "nodes: a list is not a list of texts",
         "[first"},
        {"neither", "nodes: [a]\n", "j.yaml:1", "neither train nor command", "train section"},
        {"both", train_with("command: [x]\n"), "j.yaml:5", "command: there is a train section", "Keep one"},
        {"unknown key", job_with("masterport: 1\n"), "j.yaml:3", "masterport: unknown key",
         "Did you mean \"master_port\"?"},
        {"far key", job_with("frobnicate: 1\n"), "j.yaml:3", "frobnicate: unknown key",
         "Known keys are: backend, checkpoint, command, conda, "},
        {"twice", job_with("name: a\nname: b\n"), "j.yaml:4", "name: given twice", "Keep one"},
        {"backend", job_with("backend: mpi\n"), "j.yaml:3", "backend: \"mpi\" is not known",
         "auto, nccl, gloo"},
        {"local rank", job_with("local_rank_argument: --rank\n"), "j.yaml:3",
         "local_rank_argument: \"--rank\" is not known", "none, --local-rank, --local_rank"},
        {"two environments", job_with("venv: a\nconda: b\n"), "j.yaml:4", "conda: there is a venv as well",
         "Keep one"},
        {"metrics list", job_with("metrics: [a]\n"), "j.yaml:3", "metrics: a list is not a mapping",
         "patterns"},
        {"metrics key", job_with("metrics: { pattern: [a] }\n"), "j.yaml:3", "metrics.pattern: unknown key",
         "patterns"},
        {"metrics files", job_with("metrics: { files: maybe }\n"), "j.yaml:3", "metrics.files: \"maybe\"",
         "false"},
        {"throughput batch", job_with("throughput: { batch: 0 }\n"), "j.yaml:3",
         "throughput.batch: \"0\" is out of range", "greater than 0"},
        {"throughput word", job_with("throughput: { flops_per_sample: many }\n"), "j.yaml:3",
         "throughput.flops_per_sample: \"many\"", "number"},
        {"throughput key", job_with("throughput: { batches: 8 }\n"), "j.yaml:3", "throughput.batches",
         "batch"},
        {"both batches", job_with("throughput: { batch: 8, batch_per_rank: 4 }\n"), "j.yaml:3",
         "throughput.batch_per_rank: throughput.batch is given as well", "Keep one"},
        {"metrics lines", job_with("metrics: { lines: maybe }\n"), "j.yaml:3", "metrics.lines: \"maybe\"",
         "false"},
        {"event folder", job_with("metrics: { tensorboard: '' }\n"), "j.yaml:3",
         "metrics.tensorboard: names no folder", "SummaryWriter"},
        {"pattern", job_with("metrics: { patterns: ['loss'] }\n"), "j.yaml:3",
         "metrics.patterns: \"loss\" is not a pattern: it marks no value", "metrics learn"},
        {"native and venv", train_with("") + "venv: a\n", "j.yaml:5", "venv: has no effect", "Leave it out"},
        {"backend list", job_with("backend: [gloo]\n"), "j.yaml:3", "backend: a list is not a text",
         "auto, nccl, gloo"},
        {"launcher", job_with("launcher: k8s\n"), "j.yaml:3", "\"k8s\" is not known", "ssh, slurm"},
        {"slurm without section", "launcher: slurm\ncommand: [x]\n", "j.yaml:1", "slurm: missing",
         "login: node1"},
        {"slurm with nodes", "launcher: slurm\nslurm: {login: a}\ncommand: [x]\nnodes: [a]\n", "j.yaml:4",
         "nodes: has no place with launcher: slurm", "the launcher chooses the nodes"},
        {"slurm section without launcher", job_with("slurm: {login: a}\n"), "j.yaml:3", "the launcher is ssh",
         "launcher: slurm"},
        {"slurm is a word", slurm_with("slurm: a\n"), "j.yaml:3", "slurm: \"a\" is not a mapping", "login"},
        {"slurm without login", slurm_with("slurm: {nodes: 2}\n"), "j.yaml:3", "slurm.login: missing",
         "login: node1"},
        {"slurm key", slurm_with("slurm: {login: a, partion: b}\n"), "j.yaml:3", "slurm.partion",
         "partition"},
        {"slurm nodes", slurm_with("slurm: {login: a, nodes: 0}\n"), "j.yaml:3",
         "slurm.nodes: \"0\" is out of range", "from 1 to 4096"},
        {"slurm time", slurm_with("slurm: {login: a, time: 2h}\n"), "j.yaml:3", "\"2h\" is not a time",
         "HH:MM:SS"},
        {"slurm extra word", slurm_with("slurm: {login: a, extra: [--mem, 4G]}\n"), "j.yaml:3",
         "\"4G\" is no option of sbatch", "--mem=4G"},
        {"slurm extra of ours", slurm_with("slurm: {login: a, extra: [--partition=x]}\n"), "j.yaml:3",
         "--partition is Rankscope's own", "key partition"},
        {"slurm extra of ours, short", slurm_with("slurm: {login: a, extra: [-N2]}\n"), "j.yaml:3",
         "-N is Rankscope's own", "key nodes"},
        {"slurm output", slurm_with("slurm: {login: a, extra: [--output=x]}\n"), "j.yaml:3",
         "--output is Rankscope's own", "Leave it out"},
        {"port", job_with("master_port: 70000\n"), "j.yaml:3", "\"70000\" is out of range",
         "from 0 to 65535"},
        {"procs", job_with("procs_per_node: 0\n"), "j.yaml:3", "procs_per_node: \"0\" is out of range",
         "from 1 to 1024"},
        {"procs word", job_with("procs_per_node: many\n"), "j.yaml:3", "\"many\" is not a number",
         "from 1 to 1024"},
        {"procs list", job_with("procs_per_node: [2]\n"), "j.yaml:3", "a list is not a number",
         "from 1 to 1024"},
        {"env list", job_with("env: [A=1]\n"), "j.yaml:3", "env: a list is not a mapping", "{ NAME: value"},
        {"env nested", job_with("env: {A: [1]}\n"), "j.yaml:3",
         "env: a mapping is not a mapping of names to texts", "NAME"},
        {"env name", job_with("env: {'A=B': 1}\n"), "j.yaml:3", "\"A=B\" is not a variable's name", ""},
        {"env twice", job_with("env:\n  A: 1\n  A: 2\n"), "j.yaml:5", "env.A: given twice", "Keep one"},
        {"failure", job_with("on_failure: 5\n"), "j.yaml:3", "on_failure: \"5\" is not a mapping",
         "grace_s: 5"},
        {"grace", job_with("on_failure:\n  grace_s: -1\n"), "j.yaml:4", "on_failure.grace_s: \"-1\" is out",
         "from 0 to 3600"},
        {"grace key", job_with("on_failure: {grace: 1}\n"), "j.yaml:3", "on_failure.grace: unknown key",
         "grace_s"},
        {"checkpoint", job_with("checkpoint: USR1\n"), "j.yaml:3", "checkpoint: \"USR1\" is not a mapping",
         "signal: USR1"},
        {"checkpoint signal", job_with("checkpoint: {signal: KILL}\n"), "j.yaml:3", "\"KILL\" is not known",
         "USR1, USR2"},
        {"peer time", job_with("on_failure: {peer_timeout_s: soon}\n"), "j.yaml:3",
         "on_failure.peer_timeout_s", ""},
        {"command text", "nodes: [a]\ncommand: python3 x.py\ntrain:\n", "j.yaml:2",
         "command: \"python3 x.py\" is not a list", "[first"},
        {"push", train_with("") + "push: [./x.py]\n", "j.yaml:5", "push: has no effect", "Leave it out"},
        {"command zero", "nodes: [a]\ncommand: [\"a\\0b\"]\n", "j.yaml:2", "command[0]: contains a zero byte",
         "\\0"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.title);
        auto problems = read_of(row.yaml).problems;
        if (std::string(row.title) == "command text" && !problems.empty()) {
            problems.resize(1);  // "neither is given" follows from it
        }
        test::expect_problem(problems, row);
    }
}

TEST(Job, FaultsBelowTrainNameTheirLine) {
    const std::vector<ExpectedProblem> table{
        {"unknown", train_with("  epoch: 2\n"), "j.yaml:5", "train.epoch: unknown key",
         "Did you mean \"epochs\"?"},
        {"unknown null", train_with("  epoch:\n"), "j.yaml:5", "train.epoch: unknown key",
         "Did you mean \"epochs\"?"},
        {"deep unknown", train_with("  epochs: 1\n  optimizer:\n    name: sgd\n    learning_rate: 1\n"),
         "j.yaml:8", "train.optimizer.learning_rate: unknown key", "lr"},
        {"dotted", train_with("  optimizer.lr: 1\n"), "j.yaml:5", "train.optimizer.lr: unknown key", ""},
        {"type", train_with("  epochs: two\n"), "j.yaml:5", "train.epochs: \"two\" is not a number",
         "a whole number from 1"},
        {"quoted number", train_with("  epochs: '2'\n"), "j.yaml:5", "train.epochs: \"2\" in quotes",
         "a whole number from 1"},
        {"tagged number", train_with("  epochs: !!str 2\n"), "j.yaml:5", "train.epochs: \"2\" in quotes",
         "a whole number"},
        {"range", train_with("\n  batch_size: 0\n"), "j.yaml:6", "train.batch_size: \"0\" is out of range",
         "from 1 to 1000000"},
        {"deep range", train_with("  optimizer: {lr: 0.1,\n    momentum: 1}\n"), "j.yaml:6",
         "train.optimizer.momentum: \"1\" is out of range", "less than 1"},
        {"flag", train_with("  shuffle: maybe\n"), "j.yaml:5", "train.shuffle: \"maybe\" is neither",
         "true or false"},
        {"model", "nodes: [a]\ntrain:\n  dataset: mnist\n  model: convent\n", "j.yaml:4",
         "train.model: \"convent\" is not known", "Did you mean \"convnet\"?"},
        {"no model", "nodes: [a]\ntrain:\n  dataset: mnist\n", "j.yaml:3", "train.model: missing",
         "convnet, mlp"},
        {"dataset", "nodes: [a]\ntrain:\n  model: mlp\n  dataset:\n    name: mnits\n", "j.yaml:5",
         "train.dataset.name: \"mnits\" is not known", "Did you mean \"mnist\"?"},
        {"list", "nodes: [a]\ntrain: [1]\n", "j.yaml:2", "train: a list is not a section", "train: {"},
        {"twice", train_with("  epochs: 1\n  epochs: 2\n"), "j.yaml:6", "train.epochs: given twice",
         "Keep one"},
        {"deep twice", train_with("  optimizer: {lr: 1, lr: 2}\n"), "j.yaml:5",
         "train.optimizer.lr: given twice", "Keep one"},
        {"NaN", train_with("  optimizer: {lr: .nan}\n"), "j.yaml:5",
         "train.optimizer.lr: \".nan\" is not a number", "a number from 0"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.title);
        test::expect_problem(read_of(row.yaml).problems, row);
    }
}

TEST(Job, EmptyFilesAreFaults) {
    for (const char* yaml : {"", "\n", "# soon\n", "---\n"}) {
        const auto problems = read_of(yaml).problems;
        ASSERT_EQ(problems.size(), 1U) << yaml;
        EXPECT_NE(problems[0].what.find("must hold a mapping"), std::string::npos);
        EXPECT_EQ(problems[0].where.rfind("j.yaml", 0), 0U);
    }
    EXPECT_EQ(read_of("{}").problems.size(), 2U) << "no nodes, and nothing to run";
}

TEST(Job, SyntaxErrorsAndHostileNesting) {
    test::expect_problem(read_of("nodes: [a]\n\tcommand: [x]\n").problems,
                         {"tab", "", "j.yaml:2", "not valid YAML", "indentation"});
    std::string bomb = "nodes: [a]\ntrain:\n  a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) {
        const std::string before = std::to_string(i - 1);
        bomb += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + before + ", *a" + before +
                "]\n";
    }
    for (const std::string& yaml :
         {bomb, std::string("nodes: [a]\ntrain: &t {model: *t}\n"),
          "nodes: [a]\ntrain: " + std::string(60, '{'), "train: " + std::string(5000, '['),
          "command: " + std::string(65, '[') + std::string(65, ']') + '\n'}) {
        EXPECT_FALSE(read_of(yaml).problems.empty()) << yaml.substr(0, 60);
    }
}

TEST(Job, AFileThatCannotBeReadIsAFault) {
    const test::TemporaryFolder folder;
    const auto problems = read_job(folder / "job.yaml").problems;
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].what.find("No such file"), std::string::npos);
    test::write_text(folder / "job.yaml", kContract);
    const auto read = read_job(folder / "job.yaml");
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.job.file, folder / "job.yaml");
}

void expect_same(const Job& a, const Job& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.all_nodes, b.all_nodes);
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_EQ(a.master, b.master);
    EXPECT_EQ(a.rank_order, b.rank_order);
    EXPECT_EQ(a.procs_per_node, b.procs_per_node);
    EXPECT_EQ(a.procs_of_node, b.procs_of_node);
    EXPECT_EQ(a.devices, b.devices);
    EXPECT_EQ(a.node_env, b.node_env);
    EXPECT_EQ(a.rank_env, b.rank_env);
    EXPECT_EQ(a.backend, b.backend);
    EXPECT_EQ(a.master_port, b.master_port);
    EXPECT_EQ(a.interface_name, b.interface_name);
    EXPECT_EQ(a.env, b.env);
    EXPECT_EQ(a.grace_s, b.grace_s);
    EXPECT_EQ(a.peer_timeout_s, b.peer_timeout_s);
    EXPECT_EQ(a.stopped_limit_s, b.stopped_limit_s);
    EXPECT_EQ(a.checkpoint_signal, b.checkpoint_signal);
    EXPECT_EQ(a.checkpoint_wait_s, b.checkpoint_wait_s);
    EXPECT_EQ(a.train, b.train);
    EXPECT_EQ(a.command, b.command);
    EXPECT_EQ(a.workdir, b.workdir);
}

TEST(Job, WhatOnlyAProgramOfTheUsersHas) {
    const auto job =
        good_job(job_with("local_rank_argument: --local_rank\nvenv: ~/venvs/x\nlog_dir: logs\n"));
    EXPECT_EQ(job.own.local_rank_argument, LocalRankArgument::Underscore);
    EXPECT_EQ(job.own.venv, "~/venvs/x");
    EXPECT_EQ(job.own.log_dir, "logs");
    EXPECT_EQ(good_job(to_yaml(job)).own, job.own);
    EXPECT_EQ(good_job(job_with("local_rank_argument: --local-rank\nconda: train\n")).own.conda, "train");
    EXPECT_EQ(good_job(job_with("local_rank_argument: none\n")).own, OwnProgram());
    const auto metrics =
        good_job(job_with("metrics: { lines: false, patterns: ['step {step} loss {loss}'] }\n"));
    EXPECT_FALSE(metrics.own.metrics.lines);
    EXPECT_EQ(metrics.own.metrics.patterns, std::vector<std::string>{"step {step} loss {loss}"});
    EXPECT_EQ(good_job(to_yaml(metrics)).own, metrics.own);
    EXPECT_TRUE(good_job(job_with("metrics: { lines: true }\n")).own.metrics.lines);
    EXPECT_TRUE(good_job(job_with("metrics: { lines: true }\n")).own.metrics.files);
    EXPECT_FALSE(good_job(job_with("metrics: { files: false }\n")).own.metrics.files);
    const Job rates =
        good_job(job_with("throughput: { batch: 256, flops_per_sample: 12.3e9, parameters: 7e9 }\n"));
    EXPECT_EQ(rates.own.throughput,
              (ThroughputKeys{.batch = 256, .flops_per_sample = 12.3e9, .parameters = 7e9}));
    EXPECT_EQ(parse_job(to_yaml(rates), "j.yaml").job.own.throughput, rates.own.throughput);
    const auto events = good_job(job_with("metrics: { tensorboard: 'runs/{rank}' }\n"));
    EXPECT_EQ(events.own.metrics.tensorboard, "runs/{rank}");
    EXPECT_FALSE(events.own.metrics.lines) << "the same numbers are not read twice";
    EXPECT_EQ(good_job(to_yaml(events)).own, events.own);
    const auto both = good_job(job_with("metrics: { tensorboard: runs, lines: true }\n"));
    EXPECT_TRUE(both.own.metrics.lines);
    EXPECT_EQ(good_job(to_yaml(both)).own, both.own);
    const auto pushed = good_job(job_with("push: [train.py, ./src]\n"));
    EXPECT_EQ(pushed.push, (std::vector<std::string>{"train.py", "./src"}));
    EXPECT_EQ(good_job(to_yaml(pushed)).push, pushed.push);
}

TEST(Job, RoundTrip) {
    const Job contract = good_job(kContract);
    expect_same(good_job(to_yaml(contract)), contract);
    Job own;
    own.name = "yes: \"no\" #1 层\n\t\x01\x7f";
    own.nodes = {"123", "true", "a:b", "é"};
    own.procs_per_node = 8;
    own.backend = BackendChoice::Nccl;
    own.master_port = 0;
    own.interface_name = "eth0";
    own.env = {{"A", "1"}, {"B", ""}, {"C", "it's \"x\" \\ $HOME"}, {"NULL", "null"}, {"é", "~"}};
    own.grace_s = 0.25;
    own.peer_timeout_s = 0;
    own.stopped_limit_s = 2.5;
    own.checkpoint_signal = "USR2";
    own.checkpoint_wait_s = 12;
    own.command = {"python3", "", "a b", "-c", "print('hello: #')", "\\0", "\xf0\x9f\x98\x80", "0.10"};
    own.workdir = "~/proj with blank";
    expect_same(good_job(to_yaml(own)), own);
    own.master = "true";
    own.rank_order = RankOrder::Cyclic;
    own.procs_per_node = 0;
    own.procs_of_node = {{"123", 2}, {"a:b", 1}};
    own.devices = {{"é", {3, 1}}};
    own.node_env = {{"a:b", {{"A", "it's"}}}};
    own.rank_env = {{0, {{"B", "{rank}"}}}, {11, {{"C", ""}}}};
    expect_same(good_job(to_yaml(own)), own);
    own.nodes.clear();
    own.all_nodes = true;
    expect_same(good_job(to_yaml(own)), own);
}

TEST(Job, TrainValuesKeepTheirKind) {
    const auto job = good_job(
        train_with("  epochs: 2\n  seed: 0x10\n  bucket_mb: 1\n  drop_last: yes\n  optimizer: {lr: 1e-3}\n"
                   "  max_steps: +5\n  validate: off\n  threads: ~\n"));
    EXPECT_EQ((*job.train)["seed"], 16);
    EXPECT_EQ((*job.train)["drop_last"], true);
    EXPECT_EQ((*job.train)["validate"], false);
    EXPECT_EQ((*job.train)["optimizer"]["lr"], 0.001);
    EXPECT_EQ((*job.train)["max_steps"], 5);
    EXPECT_TRUE((*job.train)["threads"].is_null());
    expect_same(good_job(to_yaml(job)), job);
}

/// A locale with a decimal comma for this process: an installed one, else one that localedef compiles into
/// the folder.
bool use_a_decimal_comma(const std::string& folder) {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            return true;
        }
    }
    const std::string compile = "localedef -i de_DE -f UTF-8 '" + folder + "/de_DE.UTF-8' >/dev/null 2>&1";
    return std::system(compile.c_str()) == 0 && ::setenv("LOCPATH", folder.c_str(), 1) == 0 &&
           std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
}

TEST(Job, NumbersDoNotFollowTheLocale) {
    // Qt sets the locale of the desktop; in many of them the decimal sign is a comma.
    const test::TemporaryFolder folder;
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const bool comma = use_a_decimal_comma(folder.path().string());
    const auto job = good_job(job_with("on_failure: {grace_s: 0.5}\n"));
    const std::string yaml = to_yaml(job);
    std::setlocale(LC_ALL, before.c_str());
    ::unsetenv("LOCPATH");
    EXPECT_EQ(job.grace_s, 0.5);
    EXPECT_EQ(good_job(yaml).grace_s, 0.5);
    if (!comma) {
        GTEST_SKIP() << "no locale with a decimal comma here, and no localedef (package locales) to make one";
    }
}

TEST(JobEdit, ValuesAreChangedAddedAndTakenOut) {
    const auto changed = with_assignments(
        "name: a # mine\nnodes: [n]\ntrain:\n  epochs: 2\n  optimizer: {lr: 0.1}\n",
        {"train.optimizer.lr=0.01", "train.epochs=", "nodes=[x, y]", "env.NCCL_DEBUG=INFO", "name=b=c"});
    ASSERT_TRUE(changed) << changed.failure().what;
    const YAML::Node yaml = YAML::Load(*changed);
    EXPECT_EQ(yaml["name"].as<std::string>(), "b=c");
    EXPECT_EQ(yaml["nodes"][1].as<std::string>(), "y");
    EXPECT_EQ(yaml["train"]["optimizer"]["lr"].as<double>(), 0.01);
    EXPECT_FALSE(yaml["train"]["epochs"].IsDefined());
    EXPECT_EQ(yaml["env"]["NCCL_DEBUG"].as<std::string>(), "INFO");
    EXPECT_EQ(*with_assignments("name: a # mine\n", {}), "name: a # mine\n");
}

TEST(JobEdit, WhatIsNoAssignmentSaysSo) {
    for (const char* bad : {"", "epochs", "=3", "a..b=1", "name.x=1", "a=[1", ".a=1"}) {
        const auto changed = with_assignments("name: a\n", {bad});
        ASSERT_FALSE(changed) << bad;
        EXPECT_EQ(changed.failure().code, FailureId("bad-assignment")) << bad;
        EXPECT_EQ(changed.failure().where, bad);
    }
    EXPECT_EQ(with_assignments("a: [", {"b=1"}).failure().code, FailureId("bad-file"));
}

TEST(Job, SlurmStartsItsJobsAgainByItself) {
    const auto parsed = read_of(
        "launcher: slurm\nslurm: {login: a, nodes: 2}\nprocs_per_node: 1\n"
        "on_failure: {max_restarts: 2}\ncommand: [x]\n");
    ASSERT_EQ(parsed.problems.size(), 1U);
    EXPECT_NE(parsed.problems[0].key.find("on_failure.max_restarts"), std::string::npos);
}

TEST(JobLauncher, EveryOneIsDescribedForFilesAndForms) {
    ASSERT_GE(job_launchers().size(), 2U);
    EXPECT_EQ(job_launchers().front().name, Job().launcher) << "the default";
    for (const JobLauncher& launcher : job_launchers()) {
        EXPECT_STRNE(launcher.help, "") << launcher.name;
        if (launcher.chooses_nodes) {
            EXPECT_NE(job_keys().find(launcher.submit_key), nullptr) << launcher.name;
            EXPECT_NE(job_keys().find(launcher.node_count_key), nullptr) << launcher.name;
        }
    }
}

TEST(JobLauncher, AnotherOneDropsWhatHasNoPlaceWithIt) {
    Job job = good_job("nodes: [a, b]\nmaster: b\ndevices: {a: [0]}\ncommand: [x]\n");
    choose_launcher(job, "slurm");
    set_submit_node(job, "login1");
    set_node_count(job, 3);
    EXPECT_EQ(submit_node(job), "login1");
    EXPECT_TRUE(check_job(job).empty()) << check_job(job).front().message;
    EXPECT_EQ(good_job(to_yaml(job)).launcher, "slurm");
    choose_launcher(job, "ssh");
    EXPECT_TRUE(job.launcher_options.empty());
    job.nodes = {"a"};
    EXPECT_TRUE(check_job(job).empty()) << check_job(job).front().message;
}

/// Rewrite the page with RANKSCOPE_UPDATE_DOCS=1 in the environment.
TEST(JobKeys, ThePageListsThem) {
    const std::string page = RANKSCOPE_DOCS "/job-keys.md";
    if (std::getenv("RANKSCOPE_UPDATE_DOCS") != nullptr) {
        ASSERT_EQ(write_file_atomically(page, job_keys_markdown()), 0);
    }
    EXPECT_EQ(read_file(page).value_or(""), job_keys_markdown())
        << "set RANKSCOPE_UPDATE_DOCS=1 and run this test again";
}

}  // namespace
}  // namespace rankscope
