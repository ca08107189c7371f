// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/runs/store/retention.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::int64_t kDayUs = 86'400'000'000;
constexpr std::int64_t kNow = 1000 * kDayUs;

RunRecord run_of(const std::string& id, std::int64_t days_ago, Outcome outcome = Outcome::Done) {
    RunRecord run;
    run.run_id = run.name = id;
    run.started_us = kNow - days_ago * kDayUs - 1000;
    run.ended_us = outcome == Outcome::Running ? 0 : run.started_us + 1000;
    run.outcome = outcome;
    run.plan = test::plan_of(1, 1);
    return run;
}

std::vector<std::string> removed_ids(const RetentionPlan& plan) {
    std::vector<std::string> ids;
    for (const auto& run : plan.remove) {
        ids.push_back(run.run_id);
    }
    return ids;
}

TEST(RetentionTest, OldRunsGoAndStarredOrRunningOnesStay) {
    const std::vector<RunRecord> runs{run_of("new", 2), run_of("old", 40), run_of("older", 50),
                                      run_of("star", 60), run_of("live", 70, Outcome::Running)};
    std::map<std::string, RunLabels> labels;
    labels["star"].starred = true;
    labels["older"].tags = {"a"};
    const RetentionPlan plan = plan_retention(runs, labels, {}, {.days = 30}, kNow);
    EXPECT_EQ(removed_ids(plan), (std::vector<std::string>{"older", "old"}));
    EXPECT_EQ(plan.starred_kept, 1);
    EXPECT_EQ(plan.running_kept, 1);
    EXPECT_TRUE(plan_retention(runs, labels, {}, {}, kNow).remove.empty()) << "no limit";
}

TEST(RetentionTest, TheOldestGoUntilTheRestFits) {
    const std::vector<RunRecord> runs{run_of("a", 1), run_of("b", 2), run_of("c", 3), run_of("d", 4)};
    StoreUse use;
    use.bytes = 1000;
    use.run_bytes = {{"a", 400}, {"b", 300}, {"c", 200}, {"d", 100}};
    std::map<std::string, RunLabels> labels;
    labels["d"].starred = true;
    const RetentionPlan plan = plan_retention(runs, labels, use, {.bytes = 600}, kNow);
    EXPECT_EQ(removed_ids(plan), (std::vector<std::string>{"c", "b"}));
    EXPECT_EQ(plan.bytes, 500);
    EXPECT_EQ(plan.remove.front().reason, PlannedRemoval::Reason::Size);
    EXPECT_TRUE(plan_retention(runs, labels, use, {.bytes = 1000}, kNow).remove.empty());
}

class RetentionStoreTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto store = RunStore::open(path());
        ASSERT_TRUE(store);
        store_ = *store;
        for (const char* id : {"a", "b", "c"}) {
            ASSERT_TRUE(store_->create_run(run_of(id, 100)));
            std::vector<Event> events;
            for (std::uint64_t seq = 1; seq <= 200; ++seq) {
                events.push_back(Event{seq, 1, "node1", 0, LogEvent{.text = std::string(2000, 'x')}});
            }
            ASSERT_TRUE(store_->append(id, events));
            ASSERT_TRUE(store_->finish_run(id, kNow - 90 * kDayUs, EndEvent()));
        }
    }
    std::filesystem::path path() const { return folder_ / "runs.sqlite"; }

    test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST_F(RetentionStoreTest, ThePlanIsWhatIsRemovedAndTheFileGetsSmaller) {
    const auto use = measure_store(path());
    ASSERT_TRUE(use);
    EXPECT_GT(use->bytes, 1'000'000);
    EXPECT_GT(use->disk_free, 0);
    EXPECT_NEAR(static_cast<double>(use->run_bytes.at("a")), static_cast<double>(use->bytes) / 3, 10);
    auto plan = plan_retention(*store_, path(), {.days = 30}, kNow);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->remove.size(), 3U);
    // A star that comes after the plan was made counts.
    const auto labels = RunLabelStore::open(path());
    ASSERT_TRUE((*labels)->set("b", {.starred = true}));
    const auto removed = remove_planned(*store_, path(), *plan, [](std::size_t) { return true; });
    ASSERT_TRUE(removed) << removed.failure().detail;
    EXPECT_EQ(*removed, 2);
    EXPECT_EQ(store_->runs()->size(), 1U);
    EXPECT_EQ(store_->runs()->front().run_id, "b");
    EXPECT_LT(measure_store(path())->bytes, use->bytes);
}

TEST_F(RetentionStoreTest, ItEndsWhereTheUserCancels) {
    const auto plan = plan_retention(*store_, path(), {.days = 30}, kNow);
    ASSERT_TRUE(plan);
    const auto removed =
        remove_planned(*store_, path(), *plan, [](std::size_t settled) { return settled < 1; });
    ASSERT_TRUE(removed);
    EXPECT_EQ(*removed, 1);
    EXPECT_EQ(store_->runs()->size(), 2U);
}

TEST(RetentionTest, AFileThatIsNoStoreIsReported) {
    const test::TemporaryFolder folder;
    test::write_text(folder / "runs.sqlite", std::string(4096, 'x'));
    EXPECT_FALSE(measure_store(folder / "runs.sqlite"));
}

}  // namespace
}  // namespace rankscope
