// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A part of a run in the NCCL pane: the operations and lines of these times, of stored runs and of live ones.

#include <gui/nccl/collective_table_model.h>
#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/folded_tab.h>
#include <gui/nccl/nccl_pane.h>
#include <remote/desk/runs/run/log_diagnosis.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_activity.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModel>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <algorithm>
#include <numeric>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// Ten seconds of sixteen ranks; every rank ends 70 all-reduces a second.
const SyntheticActivity kActivity{.seconds = 10};

TimeSpan seconds(int from, int until) {
    return {kActivity.start_us + from * kSecond + 1, kActivity.start_us + until * kSecond - 1};
}

std::uint64_t operations_of(const CollectiveReport& report) {
    return std::accumulate(report.rows.begin(), report.rows.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const CollectiveRow& row) { return sum + row.operations; });
}

constexpr std::uint64_t kFirst = 1'000'000;  ///< behind the events that the run has in the store

std::vector<Event> numbered(std::vector<Event> events) {
    std::map<std::string, std::uint64_t> next;
    for (Event& event : events) {
        event.seq = kFirst + next[event.node]++;
    }
    return events;
}

class NcclPart : public ::testing::Test {
protected:
    void SetUp() override {
        auto opened = RunStore::open(std::filesystem::path(ss(folder_.path())) / "runs.sqlite");
        ASSERT_TRUE(opened);
        store_ = *opened;
        store_run(*store_, run_);
        LiveData run = synthetic_data(run_);
        run.state.plan.backend = "nccl";
        model_.reset(std::move(run));
        pane_.resize(1280, 620);
        pane_.show();
    }
    void keep(const std::vector<Event>& events) { ASSERT_TRUE(store_->append(run_.id, events)); }
    bool show_run(bool live) {
        NcclData::LookAtRun look;
        if (live) {
            look = [this](auto looking) { return reading_.look(std::move(looking)); };
        }
        data_.show_run(&model_, store_, std::move(look));
        pane_.tabs()->setCurrentIndex(1);
        return wait_until([&] { return !data_.reading() && data_.snapshot()->collectives; });
    }
    bool has_range() {
        return wait_until([&] { return data_.range().report() != nullptr; });
    }
    const CollectiveReport& in_range() { return *data_.range().report(); }
    QString summary() { return child<QLabel>(&pane_, "collectiveSummary")->text(); }
    const QAbstractItemModel* table() { return child<QTableView>(&pane_, "collectiveTable")->model(); }
    qint64 operations_in_table() {
        qint64 sum = 0;
        for (int row = 0; row < table()->rowCount(); ++row) {
            sum += table()
                       ->index(row, CollectiveTableModel::Count)
                       .data(CollectiveTableModel::SortRole)
                       .toLongLong();
        }
        return sum;
    }

    const SyntheticRun run_{.id = "part", .ranks = 16};
    QTemporaryDir folder_;
    QThreadPool pool_;
    std::shared_ptr<RunStore> store_;
    LiveModel model_{nullptr};
    LogDiagnosis reading_{run_.id, [](const Event&) {}, ReadingDepth::All};
    NcclData data_{&pool_};
    NcclPane pane_{&data_};
};

TEST_F(NcclPart, TableAndSummaryAreOfTheseSeconds) {
    keep(numbered(activity_events(kActivity)));
    ASSERT_TRUE(show_run(false));
    const std::uint64_t all = operations_of(*data_.snapshot()->collectives);
    EXPECT_EQ(operations_in_table(), qint64(all));
    pane_.set_range(seconds(3, 5));
    ASSERT_TRUE(has_range());
    EXPECT_EQ(operations_of(in_range()), all / 5);
    EXPECT_EQ(operations_in_table(), qint64(all / 5));
    EXPECT_EQ(in_range().ranks.size(), 16U);
    EXPECT_TRUE(summary().contains(u"waiting for other ranks"_s)) << qPrintable(summary());
    // A moment belongs to the second that it is in.
    const std::int64_t moment = kActivity.start_us + 4 * kSecond + kSecond / 2;
    pane_.set_range({moment, moment});
    ASSERT_TRUE(wait_until([&] { return operations_in_table() == qint64(all / 10); }));
    // Nothing of NCCL then.
    pane_.set_range({1, 1000});
    ASSERT_TRUE(wait_until([&] { return table()->rowCount() == 0; }));
    EXPECT_EQ(summary(), u"No operation of NCCL in this part of the run"_s);
    pane_.set_range({});
    EXPECT_EQ(data_.range().report(), nullptr);
    EXPECT_EQ(operations_in_table(), qint64(all));
}

TEST_F(NcclPart, BeginsWithTheTabThatHasSomethingToShow) {
    keep(numbered(activity_events(kActivity)));
    const auto shown = [this] { return child<QWidget>(&pane_, "collectiveSummary")->isVisible(); };
    data_.show_run(&model_, store_);
    EXPECT_TRUE(wait_until(shown)) << "no line of NCCL, so no map";
    pane_.tabs()->setCurrentIndex(0);
    data_.show_run(&model_, store_);
    ASSERT_TRUE(wait_until([&] { return !data_.reading() && data_.snapshot()->collectives; }));
    EXPECT_FALSE(shown()) << "the user went to the map";
}

TEST_F(NcclPart, AnotherRunBeginsWithAllTimes) {
    keep(numbered(activity_events(kActivity)));
    ASSERT_TRUE(show_run(false));
    pane_.set_range(seconds(3, 5));
    ASSERT_TRUE(has_range());
    ASSERT_TRUE(show_run(false));
    EXPECT_FALSE(data_.range().is_set());
    EXPECT_EQ(data_.range().report(), nullptr);
}

TEST_F(NcclPart, ARankIsBehindWhereItsLastStepWasBeforeTheRange) {
    const SyntheticActivity hangs{.seconds = 10, .behind = 11};
    keep(numbered(activity_events(hangs)));
    ASSERT_TRUE(show_run(false));
    // Rank 11 reports nothing in this range except that it is there; what it entered was before.
    pane_.set_range({hangs.start_us + 15 * kSecond, TimeSpan::kOpenEnd});
    ASSERT_TRUE(has_range());
    EXPECT_EQ(summary(), u"Rank 11 has not entered AllReduce 701 (it entered 700)"_s);
}

TEST_F(NcclPart, ALiveRunGrowsInAnOpenRangeAndNotInAClosedOne) {
    const std::vector<Event> all = numbered(activity_events(kActivity));
    const auto middle = all.begin() + 6 * 16;
    LiveData run;
    run.set_plan(synthetic_plan(run_));
    run.state.plan.backend = "nccl";
    run.state.run_id = run_.id;
    model_.reset(std::move(run));
    keep({all.begin(), middle});
    model_.apply({all.begin(), middle});
    std::for_each(all.begin(), middle, [this](const Event& event) { reading_.observe(event); });
    ASSERT_TRUE(show_run(true));
    pane_.set_range({kActivity.start_us + 4 * kSecond + 1, TimeSpan::kOpenEnd});
    ASSERT_TRUE(has_range());
    const std::uint64_t two_seconds = operations_of(in_range());
    // The last second once more, and four that are new.
    std::for_each(middle, all.end(), [this](const Event& event) { reading_.observe(event); });
    model_.apply({all.begin() + 5 * 16, all.end()});
    ASSERT_TRUE(wait_until([&] { return operations_of(in_range()) == 3 * two_seconds; }));
    pane_.set_range(seconds(4, 6));
    ASSERT_TRUE(has_range());
    EXPECT_EQ(operations_of(in_range()), two_seconds);
    const Event late{kFirst + 1000, kActivity.start_us + 20 * kSecond, "node1", 0,
                     *all.back().as<NcclEvent>()};
    reading_.observe(late);
    model_.apply({late});
    ASSERT_TRUE(wait_until([&] {
        return operations_of(*data_.snapshot()->collectives) > 0 &&
               data_.snapshot()->collectives->last_us >= kActivity.start_us + 20 * kSecond;
    }));
    EXPECT_EQ(operations_of(in_range()), two_seconds);
}

TEST_F(NcclPart, TheLinesOfNcclAreThoseOfTheseTimes) {
    const std::string log = nccl_log({.nodes = 1, .gpus = 1});
    std::vector<Event> events = activity_events(kActivity);
    events.push_back({0, kActivity.start_us + 2 * kSecond, "node1", 0, LogEvent{false, log, 0}});
    events.push_back(
        {0, kActivity.start_us + 8 * kSecond, "node1", 0,
         LogEvent{false, "node-0:100:100 [0] misc/socket.cc:504 NCCL WARN Connect to 10.0.0.2 failed\n", 0}});
    keep(numbered(std::move(events)));
    ASSERT_TRUE(show_run(false));
    ASSERT_TRUE(wait_until([&] { return data_.snapshot()->complete; }));
    pane_.tabs()->setCurrentIndex(3);
    const auto* lines = child<QTreeView>(&pane_, "ncclLog")->model();
    const QString note = u"ncclLogNote"_s;
    const int all = lines->rowCount();
    ASSERT_GT(all, 5);
    pane_.set_range(seconds(1, 4));
    EXPECT_EQ(lines->rowCount(), all - 1);
    pane_.set_range(seconds(7, 9));
    EXPECT_EQ(lines->rowCount(), 1);
    EXPECT_TRUE(pane_.findChild<QLabel*>(note)->text().contains(u"no rank differs · 1 row"_s))
        << qPrintable(pane_.findChild<QLabel*>(note)->text());
    child<QTreeView>(&pane_, "ncclLog")->setCurrentIndex(lines->index(0, 0));
    const QString clock = moment_clock_text({.t_us = kActivity.start_us + 8 * kSecond});
    EXPECT_TRUE(child<QLabel>(&pane_, "ncclLogFacts")->text().startsWith(clock));
    pane_.set_range({});
    EXPECT_EQ(lines->rowCount(), all);
}

}  // namespace
}  // namespace rankscope::gui::testing
