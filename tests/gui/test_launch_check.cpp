// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/launch_check.h>

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

TEST(LaunchState, EverySubStateShutsStartAndSaysWhy) {
    LaunchState good;
    good.inventory_read = good.store_settled = good.nodes_chosen = true;
    ASSERT_TRUE(good.is_ready()) << qPrintable(good.reason());
    const auto shut = [&](auto change) {
        LaunchState state = good;
        change(state);
        return !state.is_ready() && !state.reason().isEmpty();
    };
    EXPECT_TRUE(shut([](LaunchState& s) { s.inventory_read = false; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.inventory_fine = false; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.store_settled = false; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.job_file_fine = false; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.nodes_chosen = false; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.wrong_fields = 2; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.planning = true; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.run_under_way = true; }));
    EXPECT_TRUE(shut([](LaunchState& s) { s.plan_failure = Failure{"x", "", "no GPU", "", ""}; }));
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

}  // namespace
}  // namespace rankscope::gui::testing
