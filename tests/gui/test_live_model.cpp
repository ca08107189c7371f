// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/live/failure_banner.h>
#include <gui/live/rank_strip.h>
#include <gui/models/rank_table_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

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
        ASSERT_EQ(live.data().series[rank].steps().size(), 40U);
        ASSERT_EQ(live.data().series[rank].column(Metric::Loss).at(39),
                  stored.series[rank].column(Metric::Loss).at(39));
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

TEST(LiveModel, OneSignalABatch) {
    LiveModel live;
    live.reset({});
    QSignalSpy changes(&live, &LiveModel::changed);
    live.apply(items_of({.steps_per_epoch = 10}));
    EXPECT_EQ(changes.count(), 1);
    live.apply({});
    EXPECT_EQ(changes.count(), 1);
}

TEST(LiveModel, ARankThatGoesBackIsTold) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    for (const int step : {1, 2, 3, 2}) {
        MetricEvent metric;
        metric.step = step;
        metric.values = {{"loss", 1.0}};
        data.apply({0, 1, "node1", 0, metric});
    }
    EXPECT_EQ(data.went_back, 1U);
    EXPECT_EQ(data.series[0].steps().size(), 2U);
}

TEST(FailureReport, NamesTheCulpritItsSignalAndItsLastLines) {
    const FailureReport report = failure_report(synthetic_data({.until = 0.5, .fate = Fate::Killed}));
    EXPECT_EQ(report.title, u"Rank 1 on node1 was killed by signal 9 (SIGKILL)"_s);
    EXPECT_TRUE(report.lines.contains(u"host memory 97 % used"_s)) << qPrintable(report.lines);
    EXPECT_TRUE(report.text.contains(u"SIGKILL"_s));
    EXPECT_EQ(report.rank, 1);
}

TEST(FailureReport, AWorkerThatCannotStartSaysWhy) {
    const FailureReport report = failure_report(synthetic_data({.fate = Fate::CannotStart}));
    EXPECT_TRUE(report.title.contains(u"could not start"_s));
    EXPECT_TRUE(report.text.contains(u"libdnnl.so.2 is not installed"_s));
}

TEST(FailureReport, NothingForARunThatIsFine) {
    EXPECT_TRUE(failure_report(synthetic_data({.steps_per_epoch = 5})).title.isEmpty());
    EXPECT_TRUE(failure_report(synthetic_data({.until = 0.5, .fate = Fate::Stopped})).title.isEmpty());
    EXPECT_TRUE(failure_report(synthetic_data({.until = 0.5, .fate = Fate::UnderWay})).title.isEmpty());
}

TEST(FailureReport, ADiagnosisBringsItsFix) {
    LiveData data = synthetic_data({.until = 0.5, .fate = Fate::Killed});
    data.diagnoses.push_back(
        {"oom-kill", "The kernel killed the rank: memory ran out.", 0.9, {}, {"Lower batch_size."}});
    const FailureReport report = failure_report(data);
    EXPECT_TRUE(report.text.contains(u"memory ran out"_s));
    EXPECT_EQ(report.remedy, u"Lower batch_size."_s);
}

TEST(MetricPlot, SaysWhatTheProgramDoesNotReport) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    MetricEvent metric;
    metric.step = 1;
    metric.values = {{"loss", 1.0}};
    data.apply({0, 1, "node1", 0, metric});
    LiveModel live;
    live.reset(std::move(data));
    MetricPlot plot;
    plot.set_live(&live);
    plot.resize(900, 300);
    plot.show();
    plot.refresh();
    QStringList said;
    for (int i = 0; i < plot.plot()->itemCount(); ++i) {
        const auto* text = qobject_cast<const QCPItemText*>(plot.plot()->item(i));
        if (text != nullptr && text->visible()) {
            said += text->text();
        }
    }
    EXPECT_EQ(said, (QStringList{u"The ranks report no accuracy."_s, u"The ranks report no images/s."_s}));
}

}  // namespace
}  // namespace rankscope::gui::testing
