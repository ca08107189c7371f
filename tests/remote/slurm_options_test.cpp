// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

TEST(SlurmOptions, GpusOfExtraOptionsCount) {
    SlurmOptions options;
    options.nodes = 2;
    options.extra = {"--gpus-per-node=2"};
    EXPECT_EQ(gpus_per_node(options), 2);
    options.extra = {"--gpus-per-node=a100:4"};
    EXPECT_EQ(gpus_per_node(options), 4);
    options.extra = {"--gpus=8"};
    EXPECT_EQ(gpus_per_node(options), 4);
    options.extra = {"-G8", "--mem=1G"};
    EXPECT_EQ(gpus_per_node(options), 4);
    options.extra = {"--gpus=3"};
    EXPECT_EQ(gpus_per_node(options), 0) << "not the same on each node";
    options.gres = "gpu:1";
    EXPECT_EQ(gpus_per_node(options), 1);
}

TEST(SlurmOptions, ARefusedOptionSaysWhyAndWhatToDoInstead) {
    const auto array = fault_of_sbatch_word("--array=0-3");
    ASSERT_TRUE(array);
    EXPECT_NE(array->second.find("once for each value"), std::string::npos) << array->second;
    const auto requeue = fault_of_sbatch_word("--requeue");
    ASSERT_TRUE(requeue);
    EXPECT_NE(requeue->first.find("mix its events"), std::string::npos) << requeue->first;
    EXPECT_FALSE(fault_of_sbatch_word("--mem=4G"));
}

TEST(SlurmOptions, TheDefaultPortIsTheJobsOwn) {
    const char* job = "launcher: slurm\nslurm: { login: a }\ncommand: [python3, a.py]\n";
    EXPECT_EQ(parse_job(job, "j.yaml").job.master_port, 0);
    EXPECT_EQ(parse_job(std::string(job) + "master_port: 29500\n", "j.yaml").job.master_port, 29500);
    EXPECT_EQ(parse_job("nodes: [a]\ncommand: [python3, a.py]\n", "j.yaml").job.master_port, 29500);
    Job chosen;
    choose_launcher(chosen, kSlurmLauncher);
    EXPECT_EQ(chosen.master_port, 0);
}

TEST(SlurmOptions, KeysWithoutEffectAreRefused) {
    const std::string job = "launcher: slurm\nslurm: { login: a }\ncommand: [python3, a.py]\n";
    for (const char* key : {"preflight: always\n", "on_failure: { peer_timeout_s: 5 }\n"}) {
        const auto read = parse_job(job + key, "j.yaml");
        ASSERT_EQ(read.problems.size(), 1U) << key;
        EXPECT_NE(to_line(read.problems[0]).find("has no place with launcher: slurm"), std::string::npos);
    }
    EXPECT_TRUE(parse_job(job + "on_hang: stop\nhang_after_s: 20\n", "j.yaml").problems.empty());
}

}  // namespace
}  // namespace rankscope
