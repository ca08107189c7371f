// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/live/metric_area.h>
#include <gui/live/metric_chooser.h>
#include <gui/live/rank_strip.h>
#include <gui/live/run_header.h>
#include <gui/live/stage_strip.h>
#include <gui/logview/log_view.h>
#include <gui/models/node_samples_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <map>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// node2 fell silent `silent_s` seconds ago; the next attempt is in `retry_s` seconds.
LiveData with_broken_link(LinkState state, int silent_s, int retry_s) {
    LiveData data = synthetic_data({.id = "broken", .until = 0.3, .fate = Fate::Running, .gpus = 0});
    const std::int64_t now = data.state.last_us + silent_s * kSecond;
    LinkEvent link;
    link.node = "node2";
    link.state = state;
    link.last_seen_us = now - silent_s * kSecond;
    link.retry_at_us = retry_s > 0 ? now + retry_s * kSecond : 0;
    link.failure = "10.0.0.12:22 refuses the connection: no SSH server listens there.";
    link.remedy = "On the node: sudo systemctl start ssh";
    data.apply(Event{0, now, "", -1, link});
    return data;
}

class Live : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
    }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    QString text(const char* name) { return find<QLabel>(name)->text(); }
    LivePage* page() { return window_->live_page(); }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(Live, ANodeThatDoesNotAnswerIsNamedEverywhere) {
    page()->show_stored(with_broken_link(LinkState::Retrying, 12, 8));
    const QString banner = find<QWidget>("linkBanner")->accessibleName();
    EXPECT_TRUE(find<QWidget>("linkBanner")->isVisible());
    EXPECT_EQ(banner, u"node2: silent for 12 s, retry in 8 s"_s);
    EXPECT_TRUE(text("rankSummary").contains(u"2 training"_s)) << qPrintable(text("rankSummary"));
    EXPECT_TRUE(text("rankSummary").contains(u"2 unknown since"_s)) << qPrintable(text("rankSummary"));
    EXPECT_TRUE(text("rankSummary").contains(u"on node2"_s));
    const QAbstractItemModel* table = find<QTableView>("rankTable")->model();
    EXPECT_EQ(table->index(0, RankTableModel::Phase).data().toString(), u"training"_s);
    EXPECT_EQ(table->index(2, RankTableModel::Phase).data().toString(), u"silent for 12 s, retry in 8 s"_s);
    EXPECT_FALSE(table->index(0, 0).data(RankTableModel::StaleRole).toBool());
    EXPECT_TRUE(table->index(2, 0).data(RankTableModel::StaleRole).toBool());
    const QString log = page()->log()->view()->shown_text();
    EXPECT_TRUE(log.contains(u"node2: 10.0.0.12:22 refuses the connection"_s));
    EXPECT_TRUE(log.contains(u"sudo systemctl start ssh"_s)) << "the remedy";

    LiveData back = with_broken_link(LinkState::Retrying, 12, 8);
    LinkEvent link;
    link.node = "node2";
    link.last_seen_us = back.state.last_us + kSecond;
    back.apply(Event{0, back.state.last_us + kSecond, "", -1, link});
    page()->show_stored(std::move(back));
    EXPECT_FALSE(find<QWidget>("linkBanner")->isVisible());
    EXPECT_EQ(table->index(2, RankTableModel::Phase).data().toString(), u"training"_s);
}

TEST_F(Live, ALostNodeMakesTheRunFailing) {
    page()->show_stored(with_broken_link(LinkState::PresumedLost, 40, 0));
    EXPECT_EQ(text("runOutcome"), u"failing: node2"_s);
    EXPECT_TRUE(find<QLabel>("runOutcome")->toolTip().contains(u"waiting for node2, node1"_s));
    EXPECT_FALSE(find<QLabel>("runRate")->isVisible());
    EXPECT_TRUE(find<QWidget>("linkBanner")->accessibleName().contains(u"presumed lost, silent for 40 s"_s));
}

TEST_F(Live, FiguresOfASilentNodeShowTheirAge) {
    LiveData data = synthetic_data({.until = 0.3, .fate = Fate::Running, .gpus = 0});
    NodeSamplesModel model;
    model.set_data(&data);
    const std::int64_t sampled = data.state.samples.at("node1").last_us;
    model.refresh(sampled + 2 * kSecond);
    EXPECT_EQ(model.index(0, 0).data().toString(), u"node1"_s);
    EXPECT_FALSE(model.index(0, 0).data(NodeSamplesModel::StaleRole).toBool());
    model.refresh(sampled + 12 * kSecond);
    EXPECT_EQ(model.index(0, 0).data().toString(), u"node1 · as of 12 s ago"_s);
    EXPECT_TRUE(model.index(0, NodeSamplesModel::Cpu).data(NodeSamplesModel::StaleRole).toBool());
    model.refresh(0);
    EXPECT_EQ(model.index(0, 0).data().toString(), u"node1"_s) << "the last ones of a run that is over";
}

/// The head of a run, by itself.
class Head : public ::testing::Test {
protected:
    void SetUp() override {
        page_.resize(1280, 60);
        page_.show();
        header_.resize(1196, 46);
    }
    void show(const LiveData& data, double later_s, RunControl control = {.live = true}) {
        header_.set_run(data, control, data.state.last_us + std::int64_t(later_s * 1e6));
        header_.show();
    }
    QString text(const char* name) { return child<QLabel>(&header_, name)->text(); }
    bool visible(const char* name) { return child<QWidget>(&header_, name)->isVisible(); }

    QWidget page_;
    RunHeader header_{&page_};
};

TEST_F(Head, WhatMattersLeastLeavesWhereThereIsNoRoom) {
    const LiveData running = synthetic_data({.ranks = 1024, .until = 0.8, .fate = Fate::Running});
    show(running, 0.2, {.live = true, .can_pause = true});
    EXPECT_TRUE(visible("epochProgress"));
    EXPECT_TRUE(visible("epochEta"));
    EXPECT_LE(header_.minimumSizeHint().width(), 820) << "in a window of 920 beside the pages' buttons";
    const int least = header_.minimumSizeHint().width();
    // How wide the texts are depends on the font.
    for (int width = 1196; visible("epochProgress") && width > least; width -= 4) {
        header_.resize(width, 46);
    }
    EXPECT_FALSE(visible("epochProgress"));
    EXPECT_TRUE(visible("epochEta"));
    header_.resize(header_.minimumSizeHint().width(), 46);
    EXPECT_FALSE(visible("epochEta"));
    EXPECT_TRUE(visible("runRate"));
    EXPECT_TRUE(visible("stopButton"));
    show(running, 0.4, {.live = true, .can_pause = true});
    EXPECT_FALSE(visible("epochEta"));
    header_.resize(1196, 46);
    EXPECT_TRUE(visible("epochEta"));
    EXPECT_TRUE(visible("epochProgress"));
}

TEST_F(Head, ARunWithoutImagesShowsItsTokens) {
    const SyntheticRun run{.ranks = 2, .until = 0.4, .fate = Fate::Running};
    LiveData running;
    running.set_plan(synthetic_plan(run));
    synthetic_events(run, [&](Event event) {
        if (auto* metric = std::get_if<MetricEvent>(&event.body)) {
            for (auto& [name, value] : metric->values) {
                if (name == "images_per_s") {
                    name = "tokens_per_s";
                    value = 1500;
                }
            }
        }
        running.apply(event);
    });
    show(running, 0.2);
    EXPECT_EQ(text("runRate").section(u" · "_s, 0, 0), u"%1 tokens/s"_s.arg(count_text(3000)));
}

TEST_F(Head, RatesSayWhatTheyFollowFromAndWhatIsMissing) {
    const SyntheticRun run{.ranks = 2};
    LaunchPlan plan = synthetic_plan(run);
    for (RankPlan& rank : plan.ranks) {
        rank.command = {"python", "train.py", "--batch-size", "64"};
    }
    const auto train = [&] {
        LiveData data;
        data.set_plan(plan);
        for (int i = 1; i <= 40; ++i) {
            data.apply(Event{std::uint64_t(i), 1'000'000'000 + i * kSecond / 4, "node1", 0,
                             MetricEvent{.step = i, .epoch = -1, .values = {{"loss", 1}}, .texts = {}}});
        }
        show(data, 0.1);
    };
    train();
    EXPECT_EQ(text("runRate"), u"4.00 steps/s"_s) << "64 of one rank, or of both?";
    const auto tip = [&] { return child<QLabel>(&header_, "runRate")->accessibleDescription(); };
    EXPECT_TRUE(tip().contains(u"throughput.batch_per_rank"_s)) << ss(tip());
    plan.throughput.batch_per_rank = 64;
    train();
    EXPECT_EQ(text("runRate"), u"%1 samples/s · 4.00 steps/s"_s.arg(count_text(512)));
    EXPECT_TRUE(
        tip().startsWith(u"Samples per second: 4 steps_per_s × 64 batch_per_rank "
                         u"(throughput.batch_per_rank) × 2 ranks"_s))
        << ss(tip());
}

TEST_F(Head, RatesAndTimesLeftAreShownOnlyWhileStepsArrive) {
    const LiveData running = synthetic_data({.until = 0.4, .fate = Fate::Running});
    show(running, 0.2);
    EXPECT_EQ(text("runOutcome"), u"running"_s);
    EXPECT_TRUE(visible("runRate"));
    EXPECT_TRUE(visible("epochEta"));
    show(running, 14.3);
    EXPECT_EQ(text("runOutcome"), u"stalled for 14 s"_s);
    EXPECT_FALSE(visible("runRate"));
    EXPECT_FALSE(visible("epochEta"));
    EXPECT_TRUE(visible("epochProgress")) << "how far it is stays true";
    show(synthetic_data({.until = 0.4, .fate = Fate::Paused}), 60);
    EXPECT_EQ(text("runOutcome"), u"paused"_s);
    EXPECT_FALSE(visible("runRate"));
    EXPECT_FALSE(visible("epochEta"));
    show(synthetic_data({}), 0, {});
    EXPECT_EQ(text("runOutcome"), u"done"_s);
    EXPECT_FALSE(visible("runRate")) << "after the end there is no rate";
}

TEST_F(Head, AForcedStopShowsThatItWasSent) {
    const LiveData data = with_broken_link(LinkState::Silent, 20, 0);
    show(data, 0, {.live = true, .stopping = true});
    auto* stop = child<QPushButton>(&header_, "stopButton");
    EXPECT_EQ(text("runOutcome"), u"stopping…, waiting for node2"_s);
    EXPECT_EQ(stop->text(), u"Force &stop"_s);
    EXPECT_TRUE(stop->isEnabled());
    show(data, 0, {.live = true, .stopping = true, .force_sent = true});
    EXPECT_EQ(text("runOutcome"), u"force stop sent, waiting for node2"_s);
    EXPECT_FALSE(stop->isEnabled());
}

TEST_F(Head, TheOutcomeFollowsTheTheme) {
    show(synthetic_data({.until = 0.5, .fate = Fate::Killed}), 0, {});
    auto* pill = child<QLabel>(&header_, "runOutcome");
    const auto expected = [](const QPalette& palette) {
        return outcome_color(Outcome::Failed, theme_colors(palette));
    };
    header_.setPalette(light_palette());
    EXPECT_TRUE(pill->styleSheet().contains(expected(light_palette()).name()));
    header_.setPalette(dark_palette());
    EXPECT_TRUE(pill->styleSheet().contains(expected(dark_palette()).name()))
        << qPrintable(pill->styleSheet());
}

TEST_F(Live, AnotherRunBeginsWithoutTheSelectionOfTheLast) {
    page()->show_stored(synthetic_data({.id = "a"}));
    find<QTableView>("rankTable")->selectRow(2);
    auto* squares = find<RankSquares>("rankSquares");
    EXPECT_EQ(squares->selected(), std::vector<int>{2});
    page()->show_stored(synthetic_data({.id = "b"}));
    EXPECT_TRUE(squares->selected().empty());
    EXPECT_TRUE(find<QTableView>("rankTable")->selectionModel()->selectedRows().isEmpty());
}

TEST_F(Live, ADismissedVerdictIsCalledBack) {
    page()->show_stored(synthetic_data({.id = "a", .until = 0.5, .fate = Fate::Killed}));
    auto* banner = find<QWidget>("failureBanner");
    auto* why = find<QPushButton>("whyButton");
    ASSERT_TRUE(banner->isVisible());
    EXPECT_FALSE(why->isVisible());
    click(find<QPushButton>("failureDismiss"));
    EXPECT_FALSE(banner->isVisible());
    ASSERT_TRUE(why->isVisible());
    click(why);
    EXPECT_TRUE(banner->isVisible());
    EXPECT_FALSE(why->isVisible());
}

TEST_F(Live, AWrappedLastLineIsShownWhole) {
    LiveData data = synthetic_data({.id = "a", .until = 0.5, .fate = Fate::Killed});
    data.state.end->culprit.last_lines = {std::string(80, 'x') + " " + std::string(80, 'y') + " " +
                                          std::string(80, 'z')};
    page()->show_stored(std::move(data));
    click(find<QPushButton>("failureWhy"));
    auto* lines = find<QTextBrowser>("failureLines");
    EXPECT_TRUE(wait_until([&] {
        return lines->document()->size().height() > 1.5 * lines->fontMetrics().lineSpacing() &&
               lines->verticalScrollBar()->maximum() == 0;
    })) << lines->height();
}

TEST_F(Live, RanksOfLargeRunsAreReadable) {
    page()->show_stored(synthetic_data({.ranks = 1024, .steps_per_epoch = 2}));
    auto* table = find<QTableView>("rankTable");
    const QModelIndex last = table->model()->index(1023, RankTableModel::Rank);
    EXPECT_GE(table->columnWidth(RankTableModel::Rank), table->sizeHintForIndex(last).width());
}

TEST_F(Live, AFailedRendezvousReadsFailed) {
    LiveData data = synthetic_data({.id = "a", .until = 0, .fate = Fate::Running});
    for (StageState& stage : data.state.stages) {
        stage.done = stage.done && stage.name != StageName::Rendezvous;
        stage.begun = stage.begun && stage.name != StageName::FirstStep;
    }
    data.apply(Event{0, data.state.last_us + kSecond, "", -1,
                     EndEvent{Outcome::Failed, 1, "rank 1 did not arrive", false, {}, {}}});
    page()->show_stored(std::move(data));
    EXPECT_EQ(text("stageTime-rendezvous"), u"failed"_s);
    EXPECT_EQ(text("stageTime-first-step"), QString());
}

TEST(FailureReport, ABusyPortIsReportedOnce) {
    const std::string what = "Port 29500 is held by python3 (pid 4242) of trainer.";
    const std::string fix = "End that program, or write master_port: 0 to take a free port.";
    LiveData data;
    data.set_plan(synthetic_plan({}));
    data.apply(Event{0, 1, "", -1, StageEvent{StageName::Start, StageStatus::Begin, "", -1}});
    data.apply(Event{0, 2, "", -1,
                     StageEvent{StageName::Start, StageStatus::Failed, "node1: " + what + " " + fix, -1}});
    data.apply(Event{0, 3, "", -1, DiagnosisEvent{.id = "port-in-use", .title = what, .fix = {fix}}});
    data.apply(
        Event{0, 4, "", -1, EndEvent{Outcome::Failed, 3, "node1: " + what + " " + fix, false, {}, {}}});
    const FailureReport report = failure_report(data, 0);
    EXPECT_EQ(report.title, qs(what)) << "what happened, not which stage it was";
    EXPECT_EQ(report.whole().count(qs(what)), 1) << qPrintable(report.whole());
    EXPECT_EQ(report.whole().count(qs(fix)), 1) << qPrintable(report.whole());
    EXPECT_EQ(report.busy_port, 29500);
}

TEST_F(Live, TheLogSaysHowMuchOutputIsLeftOut) {
    LiveModel live;
    LiveData data;
    data.set_plan(synthetic_plan({}));
    live.reset(std::move(data));
    LogPane log(window_->workspace()->pool());
    log.set_live(&live);
    log.show();
    auto* note = child<QLabel>(&log, "logNote");
    EXPECT_FALSE(note->isVisible());
    live.apply({Event{1, kSecond, "node1", 0, LogEvent{false, "x\n", 5U << 20U}}});
    log.refresh();
    EXPECT_TRUE(note->isVisible());
    EXPECT_TRUE(note->text().startsWith(u"5 MiB of the output are left out"_s)) << qPrintable(note->text());
}

TEST_F(Live, ANoteUnderTheCurvesSaysThatStepsBeganAgain) {
    LiveModel live;
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    live.reset(std::move(data));
    MetricArea area;
    area.set_live(&live);
    area.show();
    auto* note = child<QLabel>(&area, "plotSteps");
    EXPECT_FALSE(note->isVisible());
    std::uint64_t seq = 0;
    for (const auto& [step, epoch] : {std::pair(1, 1.0), std::pair(2, 1.0), std::pair(1, 2.0)}) {
        live.apply({Event{++seq, kSecond, "node1", 0, MetricEvent{step, epoch, {{"loss", 1.0}}, {}}}});
    }
    area.refresh();
    EXPECT_TRUE(note->isVisible());
    EXPECT_TRUE(note->text().startsWith(u"Steps began again at 1 in epoch 2"_s)) << qPrintable(note->text());
}

TEST_F(Live, LateLinesStandWhereTheyBelong) {
    LiveData data;
    data.set_plan(synthetic_plan({}));
    LiveModel live;
    live.reset(std::move(data));
    LogPane log(window_->workspace()->pool());
    log.set_live(&live);
    const auto print = [&](int rank, std::int64_t second, const char* line) {
        live.apply({Event{0, second * kSecond, rank < 2 ? "node1" : "node2", rank, LogEvent{false, line}}});
        log.refresh();
    };
    const auto shown = [&] {
        QStringList lines;
        for (std::uint32_t row = 0; row < log.rows()->count(); ++row) {
            lines += log.view()->row_text(row).section(u']', 1).trimmed();
        }
        return lines;
    };
    print(0, 1001, "a\n");
    print(0, 1003, "c\nd\n");
    print(2, 1002, "b, late\n");
    print(2, 1004, "e\n");
    print(3, 999, "first, very late\n");
    EXPECT_EQ(shown(), (QStringList{u"first, very late"_s, u"a"_s, u"b, late"_s, u"c"_s, u"d"_s, u"e"_s}));
    const QString clock = QDateTime::fromSecsSinceEpoch(1002).toString(u"HH:mm:ss"_s);
    EXPECT_TRUE(log.view()->shown_text().contains(clock % u"  [2] b, late"_s));
    log.show_rank(2);
    EXPECT_EQ(log.rows()->count(), 2U);
}

TEST_F(Live, LettersOfTheRunsPageAreUnique) {
    window_->show_page(MainWindow::Page::Runs);
    auto* open = find<QPushButton>("openRun");
    for (const QString& label : {u"&Open"_s, u"&Attach"_s, u"&Show"_s}) {
        open->setText(label);
        std::map<QString, QString> owners;
        const auto take = [&](const QString& text) {
            const QKeySequence key = QKeySequence::mnemonic(text);
            if (!key.isEmpty()) {
                EXPECT_TRUE(owners.emplace(key.toString(), text).second)
                    << qPrintable(text) << " and " << qPrintable(owners[key.toString()]);
            }
        };
        for (const char* name : {"openRun", "againRun", "deleteRun"}) {
            take(find<QPushButton>(name)->text());
        }
        for (const QAction* menu : window_->menuBar()->actions()) {
            take(menu->text());
        }
    }
}

TEST_F(Live, TheTitleKeepsARunThatHasEnded) {
    RunSession* session = window_->workspace()->session();
    EXPECT_EQ(window_->windowTitle(), u"Rankscope"_s);
    session->model()->reset(synthetic_data({.name = "mnist", .until = 0.5, .fate = Fate::Killed}));
    emit session->stateChanged();
    EXPECT_EQ(window_->windowTitle(), u"mnist: failed — Rankscope"_s);
}

TEST_F(Live, AChosenMetricIsDrawnListedAndRemembered) {
    const auto run = [](const char* id) {
        LiveData data = synthetic_data({.id = id});
        for (int rank = 0; rank < 4; ++rank) {
            data.apply(Event{0, data.state.last_us, "node1", rank,
                             MetricEvent{600, 2, {{"margin", 0.5}, {"lr", 1e-4}}, {}}});
        }
        return data;
    };
    page()->show_stored(run("a"));
    using MetricNames = std::vector<std::string>;
    EXPECT_EQ(page()->plot()->shown_metrics(), (MetricNames{"loss", "acc1", "images_per_s", "margin"}))
        << "what the user's program names has room";
    emit page()->chooser()->chosen(MetricNames{"lr", "margin"});
    EXPECT_EQ(page()->plot()->shown_metrics(), (MetricNames{"lr", "margin"}));
    const QAbstractItemModel* table = find<QTableView>("rankTable")->model();
    EXPECT_EQ(table->headerData(RankTableModel::FIRST_METRIC, Qt::Horizontal).toString(), u"lr"_s);
    EXPECT_EQ(table->index(3, RankTableModel::FIRST_METRIC).data().toString(), u"1e-4"_s);
    page()->show_stored(run("b"));
    EXPECT_EQ(page()->plot()->shown_metrics(), (MetricNames{"lr", "margin"})) << "remembered for the job";
    emit page()->chooser()->defaultRequested();
    EXPECT_EQ(page()->plot()->shown_metrics().size(), 4U);
}

}  // namespace
}  // namespace rankscope::gui::testing
