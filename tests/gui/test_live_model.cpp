// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/live/failure_banner.h>
#include <gui/live/rank_strip.h>
#include <gui/models/rank_table_model.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <thread>

namespace rankscope::gui::testing {
namespace {

std::vector<QueuedItem> items_of(const SyntheticRun& run) {
    std::vector<QueuedItem> items{synthetic_plan(run)};
    synthetic_events(run, [&](const Event& event) { items.emplace_back(event); });
    return items;
}

class LiveModelOfRanks : public ::testing::TestWithParam<int> {};

TEST_P(LiveModelOfRanks, FoldsLiveAsItFoldsAStoredRun) {
    const SyntheticRun run{.ranks = GetParam(), .steps_per_epoch = 20};
    LiveModel live;
    live.reset({});
    RankTableModel table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    table.set_live(&live);
    // In batches, as the timer takes them.
    const std::vector<QueuedItem> items = items_of(run);
    for (std::size_t at = 0; at < items.size(); at += 997) {
        const auto begin = items.begin() + std::ptrdiff_t(at);
        live.apply({begin, items.begin() + std::ptrdiff_t(std::min(at + 997, items.size()))});
        table.refresh();
    }
    const LiveData stored = synthetic_data(run);
    ASSERT_EQ(live.state().ranks.size(), std::size_t(GetParam()));
    EXPECT_EQ(table.rowCount(), GetParam());
    EXPECT_EQ(live.state().outcome, Outcome::Done);
    EXPECT_EQ(live.data().events, stored.events);
    for (std::size_t rank = 0; rank < stored.series.size(); ++rank) {
        const MetricId loss = *stored.state.metrics.find("loss");
        ASSERT_EQ(live.data().series[rank].column(loss).size(), 40U);
        ASSERT_EQ(live.data().series[rank].column(loss).at(39), stored.series[rank].column(loss).at(39));
        ASSERT_EQ(live.state().ranks[rank].phase, RankPhase::Done);
    }
    ASSERT_EQ(live.state().validations.size(), 2U);
    EXPECT_EQ(live.data().last_step(), 40);
    EXPECT_EQ(phase_summary(live.state().ranks), u"%1 done"_s.arg(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ranks, LiveModelOfRanks, ::testing::Values(1, 2, 16, 1024));

TEST(LiveModel, AnEventThatComesTwiceCountsOnce) {
    const SyntheticRun run{.steps_per_epoch = 10};
    LiveModel live;
    live.reset({});
    live.apply(items_of(run));
    const std::uint64_t events = live.data().events;
    QSignalSpy changes(&live, &LiveModel::changed);
    std::vector<QueuedItem> again = items_of(run);
    again.erase(again.begin());
    live.apply(again);
    EXPECT_EQ(live.data().events, events);
    EXPECT_EQ(changes.count(), 0);
}

TEST(LiveModel, ACallFromAnotherThreadIsRefused) {
    LiveModel live;
    live.reset(synthetic_data({.ranks = 1, .steps_per_epoch = 2}));
    const std::uint64_t events = live.data().events;
    std::thread([&live] {
        live.clear();
        live.apply({Event{0, 1, "node1", 0, LogEvent{false, "x\n"}}});
    }).join();
    EXPECT_FALSE(live.empty());
    EXPECT_EQ(live.data().events, events);
}

TEST(LiveModel, OneSignalABatch) {
    LiveModel live;
    live.reset({});
    QSignalSpy changes(&live, &LiveModel::changed);
    live.apply(items_of({.steps_per_epoch = 10}));
    EXPECT_EQ(changes.count(), 1);
    live.apply({});
    EXPECT_EQ(changes.count(), 1);
}

TEST(LiveModel, ARewindOfARankIsReported) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    for (const int step : {1, 2, 3, 2}) {
        MetricEvent metric;
        metric.step = step;
        metric.values = {{"loss", 1.0}};
        data.apply({0, 1, "node1", 0, metric});
    }
    EXPECT_EQ(data.rewinds, 1U);
    EXPECT_EQ(data.series[0].column(MetricId{0}).size(), 2U);
}

// A run that reports losses at these steps and epochs (-1: none), one after the other.
struct Report {
    std::int64_t step = 0;
    double epoch = -1;
    const char* name = "loss";
    int rank = 0;
};
LiveData data_of(const std::vector<Report>& reports) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 2}));
    std::uint64_t seq = 0;
    for (const Report& report : reports) {
        const double value = double(++seq);
        data.apply({seq, std::int64_t(seq) * 1'000'000, "node1", report.rank,
                    MetricEvent{report.step, report.epoch, {{report.name, value}}, {}}});
    }
    return data;
}
std::vector<std::int64_t> places(const LiveData& data, int rank, const char* name = "loss") {
    std::vector<std::int64_t> all;
    const MetricColumn& column = data.series[std::size_t(rank)].column(*data.state.metrics.find(name));
    for (std::size_t i = 0; i < column.size(); ++i) {
        all.push_back(column.steps().at(i));
    }
    return all;
}
QStringList log_lines(const LiveData& data) {
    QStringList lines;
    for (std::uint64_t number = 1; number <= data.log.last_number(); ++number) {
        lines += qs(data.log.line(number).text);
    }
    return lines;
}

TEST(LiveModel, StepsThatBeginAgainInEachEpochStandBehindTheEpochBefore) {
    const LiveData data = data_of({{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}, {3, 2}, {1, 3}, {2, 3}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(data.rewinds, 0U);
    EXPECT_EQ(data.replacements, 0U);
    EXPECT_EQ(data.step_places.epochs_again(), 2U);
    EXPECT_EQ(data.step_places.first_step_again(), 1);
    EXPECT_EQ(log_lines(data).filter(u"steps began again at 1 in epoch 2"_s).size(), 1) << "once for the run";
    std::vector<std::int64_t> marks;
    for (const RunMark& mark : data.marks.all()) {
        EXPECT_EQ(mark.kind, RunMark::Kind::Epoch);
        marks.push_back(mark.step);
    }
    EXPECT_EQ(marks, (std::vector<std::int64_t>{4, 7})) << "where the epochs begin on the curves";
}

TEST(LiveModel, StepsFromZeroBeginBehindTheLastOne) {
    const LiveData data = data_of({{0, 0}, {1, 0}, {0, 1}, {1, 1}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST(LiveModel, AnEpochWhoseLengthIsKnownTakesItsPlace) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    data.apply({1, 1, "node1", 0, MetricEvent{-1, -1, {{"steps_per_epoch", 100}}, {}}});
    std::uint64_t seq = 1;
    for (const double epoch : {1.0, 2.0}) {
        for (const std::int64_t step : {30, 60, 90}) {
            data.apply({++seq, 1, "node1", 0, MetricEvent{step, epoch, {{"loss", 1}}, {}}});
        }
    }
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{30, 60, 90, 130, 160, 190}));
}

TEST(LiveModel, RanksThatAreBehindKeepTheStepsOfTheirEpoch) {
    const LiveData data = data_of({{1, 1, "loss", 0},
                                   {1, 1, "loss", 1},
                                   {2, 1, "loss", 0},
                                   {1, 2, "loss", 0},
                                   {2, 1, "loss", 1},
                                   {1, 2, "loss", 1}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(places(data, 1), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(LiveModel, AMetricWithItsOwnCountDoesNotMoveTheOthers) {
    const LiveData data =
        data_of({{100, 1}, {200, 1}, {1, 1, "val_loss"}, {300, 2}, {400, 2}, {2, 2, "val_loss"}, {500, 3}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{100, 200, 300, 400, 500}));
    EXPECT_EQ(places(data, 0, "val_loss"), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(data.step_places.epochs_again(), 0U);
}

TEST(LiveModel, StepsThatBeginAgainWithoutAnEpochLeaveAMarkAndALine) {
    const LiveData data = data_of({{1}, {2}, {3}, {1}, {2}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(data.replacements, 1U);
    EXPECT_EQ(data.replaced_from, 1);
    ASSERT_EQ(data.marks.all().size(), 1U);
    EXPECT_EQ(data.marks.all()[0].kind, RunMark::Kind::Rewind);
    EXPECT_EQ(mark_text(data.marks.all()[0]), u"Steps began again at 1"_s);
    EXPECT_EQ(log_lines(data).filter(u"steps began again at 1: values from there on"_s).size(), 1);
}

TEST(LiveModel, AProgramThatBeginsAgainForEverKeepsAFewMarks) {
    std::vector<Report> reports;
    for (int i = 0; i < 5000; ++i) {
        reports.push_back({1 + i % 2 + (i / 2) % 7});
    }
    const LiveData data = data_of(reports);
    EXPECT_LE(data.marks.all().size(), 100U);
    EXPECT_EQ(log_lines(data).size(), 1);
}

TEST(LiveModel, ARestartIsNoReplacement) {
    LiveData data = data_of({{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}});
    data.apply({100, 1, "node1", -1, StageEvent{StageName::Restart, StageStatus::Done, "", -1}});
    data.apply({101, 1, "node1", 0, MetricEvent{2, 2, {{"loss", 9.0}}, {}}});
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{1, 2, 3, 4, 5})) << "in its epoch";
    EXPECT_EQ(data.replacements, 0U);
    EXPECT_EQ(data.series[0].column(*data.state.metrics.find("loss")).at(4), 9.0F);
}

TEST(LiveModel, AFileThatComesLateReplacesWhatWasPrinted) {
    LiveData data = data_of({{5, 1}, {10, 1}, {20, 2}, {20, 2, "lr"}});
    std::uint64_t seq = 100;
    for (const std::int64_t step : {9, 19, 21}) {
        MetricEvent metric{step, step < 10 ? 1.0 : 2.0, {{"loss", double(step)}}, {}};
        metric.from_file = true;
        metric.voids_after = step == 9 ? std::optional<std::int64_t>(-1) : std::nullopt;
        data.apply({++seq, 90'000'000, "node1", 0, metric});
        EXPECT_EQ(data.state.ranks[0].step, std::max<std::int64_t>(step, 20)) << "the rank was there already";
    }
    EXPECT_EQ(places(data, 0), (std::vector<std::int64_t>{9, 19, 21}));
    EXPECT_EQ(places(data, 0, "lr"), (std::vector<std::int64_t>{20}));
    EXPECT_EQ(data.rewinds, 1U) << "what is drawn is not what is there";
    EXPECT_EQ(data.replacements, 0U) << "the program did not begin again";
    EXPECT_EQ(log_lines(data).size(), 0);
}

TEST(LiveModel, OutputThatIsLeftOutIsALineAtItsPlace) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 2}));
    data.apply({1, 1, "node1", 1, LogEvent{false, "before\nhalf"}});
    data.apply({2, 2, "node1", 1, LogEvent{false, "after\n", std::uint64_t(12) << 20U}});
    data.apply({3, 3, "node1", 1, LogEvent{false, "", 1U << 20U}});
    const QStringList lines = log_lines(data);
    ASSERT_EQ(lines.size(), 5);
    EXPECT_EQ(lines[0], u"before"_s);
    EXPECT_EQ(lines[1], u"half"_s) << "its rest is left out";
    EXPECT_TRUE(lines[2].startsWith(u"12 MiB of the output of rank 1 are left out here"_s))
        << qPrintable(lines[2]);
    EXPECT_EQ(lines[3], u"after"_s);
    EXPECT_EQ(data.log.line(3).kind, LogKind::Event);
    EXPECT_EQ(data.left_out_bytes, std::uint64_t(13) << 20U);
    EXPECT_EQ(data.left_out_places, 2U);
}

TEST(LiveModel, EveryNumberThatARankReportsIsKeptByItsName) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 2}));
    for (int step = 1; step <= 3; ++step) {
        data.apply({0, 1, "node1", 0, MetricEvent{step, 1, {{"loss", 1.0}, {"margin", 0.1 * step}}, {}}});
    }
    data.apply({0, 1, "node1", 0, MetricEvent{1, 1, {{"steps_per_epoch", 3}}, {}}});
    data.apply({0, 1, "node1", 0, MetricEvent{-1, 2, {{"val_acc5", 0.9}}, {}}});
    data.apply({0, 1, "node1", 1, MetricEvent{-1, -1, {{"temperature", 40}}, {}}});
    data.apply({0, 1, "node1", 1, MetricEvent{-1, -1, {{"temperature", 41}}, {}}});
    data.apply({0, 1, "node1", 9999, MetricEvent{1, 1, {{"loss", 1.0}}, {}}});  // no such rank
    EXPECT_EQ(data.series.size(), 2U);
    const auto column = [&](int rank, const char* name) -> const MetricColumn& {
        return data.series[std::size_t(rank)].column(*data.state.metrics.find(name));
    };
    EXPECT_EQ(column(0, "margin").size(), 3U);
    EXPECT_FLOAT_EQ(column(0, "margin").at(2), 0.3F);
    ASSERT_EQ(column(0, "val_acc5").size(), 1U);
    EXPECT_EQ(column(0, "val_acc5").steps().at(0), 6) << "at the end of its epoch";
    ASSERT_EQ(column(1, "temperature").size(), 2U) << "not bound to a step: one after the other";
    EXPECT_EQ(column(1, "temperature").steps().at(1), 2);
}

TEST(FailureReport, NamesTheCulpritItsSignalAndItsLastLines) {
    const FailureReport report = failure_report(synthetic_data({.until = 0.5, .fate = Fate::Killed}), 0);
    EXPECT_EQ(report.title, u"Rank 1 on node1 was killed by signal 9 (SIGKILL)"_s);
    EXPECT_TRUE(report.lines_text().contains(u"host memory 97 % used"_s)) << qPrintable(report.lines_text());
    EXPECT_TRUE(report.text.contains(u"SIGKILL"_s));
    EXPECT_EQ(report.rank, 1);
}

TEST(FailureReport, AWorkerThatCannotStartShowsTheReason) {
    const FailureReport report = failure_report(synthetic_data({.fate = Fate::CannotStart}), 0);
    EXPECT_TRUE(report.title.contains(u"could not start"_s));
    EXPECT_TRUE(report.text.contains(u"libdnnl.so.2 is not installed"_s));
}

TEST(FailureReport, NothingForARunThatIsFine) {
    EXPECT_TRUE(failure_report(synthetic_data({.steps_per_epoch = 5}), 0).title.isEmpty());
    EXPECT_TRUE(failure_report(synthetic_data({.until = 0.5, .fate = Fate::Stopped}), 0).title.isEmpty());
    EXPECT_TRUE(failure_report(synthetic_data({.until = 0.5, .fate = Fate::Running}), 0).title.isEmpty());
}

TEST(FailureReport, ADiagnosisBringsItsFix) {
    LiveData data = synthetic_data({.until = 0.5, .fate = Fate::Killed});
    data.diagnoses.push_back({.id = "host-oom",
                              .title = "The kernel killed the rank: memory ran out.",
                              .confidence = 0.9,
                              .fix = {"Lower batch_size."}});
    const FailureReport report = failure_report(data, 0);
    EXPECT_TRUE(report.text.contains(u"memory ran out"_s));
    EXPECT_EQ(report.remedy, u"Lower batch_size."_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
