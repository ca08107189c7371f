// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_trash.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1'000'000;

class RunTrashTest : public ::testing::Test {
protected:
    void SetUp() override {
        store_ = open();
        for (const char* id : {"a", "b", "running"}) {
            RunRecord record;
            record.run_id = id;
            record.name = id;
            record.plan = test::plan_of(1, 1);
            record.parent = record.run_id == "b" ? "a" : "";
            ASSERT_TRUE(store_->create_run(record));
            Event event;
            event.node = "node1";
            event.seq = 1;
            event.body = MetricEvent{1, -1, {{"loss", 1}}, {}};
            ASSERT_TRUE(store_->append(id, {event}));
            if (record.run_id != "running") {
                EndEvent end;
                end.outcome = Outcome::Done;
                ASSERT_TRUE(store_->finish_run(id, 5, end));
            }
        }
    }
    std::shared_ptr<RunStore> open() { return *RunStore::open(path()); }
    std::filesystem::path path() const { return folder_ / "runs.sqlite"; }
    int events(RunStore& store, const std::string& id) {
        int count = 0;
        EXPECT_TRUE(store.replay(id, [&](const Event&) { return ++count > 0; }));
        return count;
    }

    const test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
};

TEST_F(RunTrashTest, ADeletedRunIsHiddenFromAllProgramsAndComesBackComplete) {
    const auto other = open();
    const RunLabels labels{.starred = true, .tags = {"x"}};
    ASSERT_TRUE((*RunLabelStore::open(path()))->set("a", labels));
    const auto mark = other->change_mark();
    ASSERT_TRUE(delete_runs(*store_, {"a", "b"}, 100));
    EXPECT_NE(other->change_mark(), mark);
    EXPECT_EQ(other->runs()->size(), 1U);
    EXPECT_EQ(other->run("a").failure().code, FailureId("no-such-run"));
    EXPECT_EQ(other->summaries()->size(), 1U);
    EXPECT_EQ(other->trash()->size(), 2U);
    ASSERT_TRUE(other->restore_run("b"));
    ASSERT_TRUE(other->restore_run("a"));
    EXPECT_EQ(store_->runs()->size(), 3U);
    EXPECT_EQ(events(*store_, "a"), 1);
    EXPECT_EQ(store_->run("b")->parent, "a");
    EXPECT_EQ((*RunLabelStore::open(path()))->of("a").value(), labels);
    EXPECT_FALSE(other->restore_run("a")) << "it is not deleted";
}

TEST_F(RunTrashTest, AllAreDeletedOrNone) {
    EXPECT_FALSE(delete_runs(*store_, {"a", "running"}, 100));
    EXPECT_FALSE(delete_runs(*store_, {"a", "none"}, 100));
    EXPECT_EQ(store_->runs()->size(), 3U);
    ASSERT_TRUE(store_->trash_runs({"a", "none"}, 100));
    EXPECT_EQ(store_->trash()->size(), 1U);
}

TEST_F(RunTrashTest, TheTrashIsEmptiedAfterAWeek) {
    ASSERT_TRUE((*RunLabelStore::open(path()))->set("a", {.note = "gone too"}));
    ASSERT_TRUE(delete_runs(*store_, {"a"}, 0));
    ASSERT_TRUE(delete_runs(*store_, {"b"}, 3 * kDay));
    ASSERT_TRUE(remove_expired(*store_, (kTrashDays + 1) * kDay));
    ASSERT_EQ(store_->trash()->size(), 1U);
    EXPECT_EQ(events(*store_, "a"), 0);
    EXPECT_EQ((*RunLabelStore::open(path()))->all()->size(), 0U);
    // One that is not in the trash is never removed.
    ASSERT_TRUE(store_->empty_trash({"running"}));
    EXPECT_EQ(store_->runs()->size(), 1U);
}

TEST_F(RunTrashTest, ARunThatComesBackFromElsewhereReplacesTheDeletedOne) {
    ASSERT_TRUE(delete_runs(*store_, {"a"}, 0));
    RunRecord record;
    record.run_id = "a";
    record.name = "imported";
    ASSERT_TRUE(store_->create_run(record));
    EXPECT_EQ(store_->run("a")->name, "imported");
    EXPECT_EQ(events(*store_, "a"), 0);
    EXPECT_FALSE(store_->create_run(record)) << "it is there";
}

}  // namespace
}  // namespace rankscope
