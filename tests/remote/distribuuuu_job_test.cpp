// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/distribuuuu_job.h>
#include <remote/desk/jobs/config/job.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

const std::string kTheirs =
    "MODEL:\n  ARCH: resnet50\n  NUM_CLASSES: 100\nTRAIN:\n  DATASET: /data/imagenet\n  BATCH_SIZE: 64\n"
    "OPTIM:\n  BASE_LR: 0.2\n  MAX_EPOCH: 90\nOUT_DIR: ./out\n";

TEST(DistribuuuuJob, AConfigurationBecomesAJobOfTheEngine) {
    EXPECT_TRUE(is_distribuuuu(kTheirs));
    const auto yaml = job_of_distribuuuu(kTheirs, "config/resnet50.yaml",
                                         {"TRAIN.BATCH_SIZE", "128", "OPTIM.BASE_LR", "6.4"}, {});
    ASSERT_TRUE(yaml) << yaml.failure().what;
    const JobRead read = parse_job(*yaml, "j.yaml");
    ASSERT_TRUE(read.problems.empty()) << read.problems.front().what << "\n" << *yaml;
    EXPECT_EQ(read.job.name, "resnet50");
    EXPECT_TRUE(read.job.all_nodes);
    const auto& train = *read.job.train;
    EXPECT_EQ(train["batch_size"], 128);
    EXPECT_EQ(train["optimizer"]["lr"], 6.4);
    EXPECT_EQ(train["epochs"], 90);
    EXPECT_EQ(train["dataset"]["root"], "/data/imagenet");
    EXPECT_EQ(train["schedule"]["name"], "cos");
    const auto two = job_of_distribuuuu(kTheirs, "a\nb.yaml", {}, {"node1", "node2"});
    ASSERT_TRUE(two);
    EXPECT_EQ(parse_job(*two, "j.yaml").job.nodes, (std::vector<std::string>{"node1", "node2"}));
}

TEST(DistribuuuuJob, WhatCannotBeTrainedIsRefusedWithItsKey) {
    for (const auto& [yaml, word] : {std::pair{"MODEL: {ARCH: alexnet}\n", "alexnet"},
                                     {"TRAIN: {BATCH: 3}\n", "BATCH"},
                                     {"TRAIN: {BATCH_SIZE: x}\n", "BATCH_SIZE"},
                                     {"TRAIN: [\n", "resnet.yaml"}}) {
        const auto job = job_of_distribuuuu(yaml, "resnet.yaml", {}, {});
        ASSERT_FALSE(job) << yaml;
        EXPECT_NE(job.failure().what.find(word), std::string::npos) << job.failure().what;
    }
    EXPECT_FALSE(job_of_distribuuuu(kTheirs, "a.yaml", {"TRAIN.BATCH_SIZE"}, {})) << "a pair is not complete";
}

TEST(DistribuuuuJob, JobFilesAreNoConfigurations) {
    for (const char* yaml :
         {"", "a: [", "name: x\ntrain: {}\n", "TRAIN: {}\nnodes: [a]\n", "- MODEL\n", "model: x\n"}) {
        EXPECT_FALSE(is_distribuuuu(yaml)) << yaml;
    }
}

}  // namespace
}  // namespace rankscope
