// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What an epoch of the job will take, by the runs in the store.

#include <gui/launch/epoch_time.h>
#include <gui/launch/launch_page.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/jobs/config/job.h>

#include <tests/gui/pages_fixture.h>

#include <QLineEdit>
#include <QTemporaryDir>

namespace rankscope::gui::testing {
namespace {

// A synthetic run takes 2 s to its first step, 0.07 s a step and 0.5 s for a validation.
constexpr double kStep = 0.07;
constexpr double kValidation = 0.5;
constexpr double kEpoch = 300 * kStep + kValidation;

std::string yaml_with(const std::string& train) {
    return "name: mnist-convnet\nnodes: [local]\nprocs_per_node: 4\n"
           "train: { model: convnet, dataset: { name: synthetic-digits }, batch_size: 50, " +
           train + " }\n";
}

Job job_with(const std::string& train) {
    return parse_job(yaml_with(train), "job.yaml").job;
}

LaunchPlan plan_for(int ranks, const std::string& device = "cpu") {
    LaunchPlan plan = synthetic_plan({.ranks = ranks, .nodes = {"node1"}});
    for (RankPlan& rank : plan.ranks) {
        rank.device = device;
    }
    return plan;
}

class EpochTimes : public ::testing::Test {
protected:
    void SetUp() override {
        auto opened = RunStore::open(ss(folder_.path()) + "/runs.sqlite");
        ASSERT_TRUE(opened.ok());
        store_ = *opened;
    }
    void keep(const SyntheticRun& run, const std::string& train = "epochs: 3",
              const std::string& device = "cpu") {
        RunRecord record = synthetic_record(run);
        record.job_yaml = yaml_with(train);
        for (RankPlan& rank : record.plan.ranks) {
            rank.device = device;
        }
        ASSERT_TRUE(store_->create_run(record).ok());
        std::vector<Event> events;
        synthetic_events(run, [&](const Event& event) { events.push_back(event); });
        ASSERT_TRUE(store_->append(run.id, events).ok());
        for (const Event& event : events) {
            const auto* end = event.as<EndEvent>();
            if (end && event.node.empty()) {
                ASSERT_TRUE(store_->finish_run(run.id, event.t_us, *end).ok());
            }
        }
    }
    std::optional<EpochTime> time(const std::string& train, int ranks = 4,
                                  const std::string& device = "cpu") {
        return nearest_epoch_time(*store_, job_with(train), plan_for(ranks, device), cache_);
    }

    QTemporaryDir folder_;
    std::shared_ptr<RunStore> store_;
    EpochTimeCache cache_;
};

TEST_F(EpochTimes, TheStartOfTheRunDoesNotCount) {
    keep({.id = "a", .epochs = 3});
    const auto found = time("epochs: 10");
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->seconds, kEpoch, 0.01);
    EXPECT_EQ(found->epochs, 2) << "the first warms up";
    EXPECT_EQ(found->ranks, 4);
    EXPECT_EQ(found->device, "cpu");
    const QString text = epoch_time_text(*found, job_with("epochs: 10"), plan_for(4));
    EXPECT_TRUE(text.contains(duration_text(kEpoch))) << ss(text);
    EXPECT_TRUE(text.contains(duration_text(10 * kEpoch))) << ss(text);
    EXPECT_TRUE(text.contains(u"on 4 rank(s))."_s)) << ss(text);
    EXPECT_FALSE(text.contains(u"That run"_s)) << "nothing differs: " << ss(text);
}

TEST_F(EpochTimes, OneEpochIsEnoughAndAPartOfOneIsProjected) {
    keep({.id = "one", .ranks = 2, .epochs = 1, .start_us = 1'750'000'000'000'000});
    ASSERT_TRUE(time("epochs: 1", 2));
    EXPECT_NEAR(time("epochs: 1", 2)->seconds, kEpoch, 0.01);
    EXPECT_EQ(time("epochs: 1", 2)->epochs, 1);
    keep({.id = "part", .ranks = 8, .epochs = 1, .until = 0.2, .fate = Fate::Killed});
    const auto part = time("epochs: 1", 8);
    ASSERT_TRUE(part);
    EXPECT_NEAR(part->seconds, 300 * kStep, 0.05);
    EXPECT_EQ(part->epochs, 0);
    EXPECT_TRUE(epoch_time_text(*part, job_with("epochs: 1"), plan_for(8)).contains(u"Projected"_s));
    keep({.id = "nothing", .ranks = 16, .fate = Fate::CannotStart});
    EXPECT_EQ(time("epochs: 1", 16)->ranks, 8) << "a run without steps has no time";
}

TEST_F(EpochTimes, TheNearestRunIsTakenAndWhatDiffersIsSaid) {
    keep({.id = "four", .ranks = 4, .start_us = 1'760'000'000'000'000}, "epochs: 2");
    keep({.id = "two", .ranks = 2, .start_us = 1'770'000'000'000'000}, "epochs: 2");
    keep({.id = "half", .ranks = 8, .start_us = 1'750'000'000'000'000}, "epochs: 2, precision: bf16",
         "cuda:0");
    EXPECT_EQ(time("epochs: 2", 4)->ranks, 4) << "not the newest";
    const auto gpu = time("epochs: 2", 4, "cuda:0");
    EXPECT_EQ(gpu->ranks, 8) << "a GPU's time says more of a GPU's than the same number of ranks";
    const QString text = epoch_time_text(*gpu, job_with("epochs: 2"), plan_for(4, "cuda:0"));
    EXPECT_TRUE(text.contains(u"This job has 4 rank(s)."_s)) << ss(text);
    EXPECT_TRUE(text.contains(u"That run used bf16."_s)) << ss(text);
    const QString cpu = epoch_time_text(*gpu, job_with("epochs: 2"), plan_for(8));
    EXPECT_TRUE(cpu.contains(u"That run used GPUs."_s)) << ss(cpu);
}

TEST_F(EpochTimes, AnotherModelBatchOrPartOfTheSetIsNoMeasure) {
    keep({.id = "a"});
    EXPECT_TRUE(time("epochs: 2"));
    EXPECT_FALSE(nearest_epoch_time(
        *store_,
        parse_job("train: { model: mlp, dataset: { name: synthetic-digits }, batch_size: 50 }", "j").job,
        plan_for(4), cache_));
    EXPECT_FALSE(
        nearest_epoch_time(*store_, parse_job("command: [python3, train.py]", "j").job, plan_for(4), cache_));
    keep({.id = "b", .ranks = 3}, "epochs: 2, accumulate_steps: 2");
    EXPECT_TRUE(time("epochs: 2", 3)) << "how often it updates does not matter much";
}

TEST_F(EpochTimes, AJobThatEndsByItsStepsIsProjectedByThem) {
    keep({.id = "a", .epochs = 3});
    const auto found = time("epochs: 10, max_steps: 50");
    ASSERT_TRUE(found);
    // 20,000 digits: 100 steps of 4 × 50.
    const QString text = epoch_time_text(*found, job_with("epochs: 10, max_steps: 50"), plan_for(4));
    EXPECT_TRUE(text.contains(duration_text(kEpoch / 2) + u" for this job"_s)) << ss(text);
}

class LaunchEpochTime : public Pages {};

TEST_F(LaunchEpochTime, StandsBesideTheEpochs) {
    fill_store({{.id = "a"}});
    open();
    window_->show_page(MainWindow::Page::Launch);
    window_->launch_page()->set_job_text(synthetic_record({}).job_yaml, "job.yaml");
    auto* label = find<QLabel>("adviceTime");
    EXPECT_TRUE(wait_until([&] { return label->text().contains(u"This job has 3 rank(s)."_s); }))
        << ss(label->text());
    EXPECT_TRUE(label->text().contains(duration_text(7 * kEpoch))) << ss(label->text());
    type_into(find<QLineEdit>("launchEpochs"), u"2"_s);
    EXPECT_TRUE(wait_until([&] { return label->text().contains(duration_text(2 * kEpoch)); }))
        << ss(label->text());
}

}  // namespace
}  // namespace rankscope::gui::testing
