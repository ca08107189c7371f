// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// From a line of the log to its moment on the curves, and back.

#include <gui/app/main_window.h>
#include <gui/data/rank_means.h>
#include <gui/data/run_moment.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/live/run_range.h>
#include <gui/logview/log_view.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_moment.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QContextMenuEvent>
#include <QMenu>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kStart = 1'760'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

/// Ranks 0 and 1 on node1, 2 and 3 on node2: a step a second, of which each rank prints half a second later. Rank 3
/// reports 60 of the 100 steps.
LiveData two_nodes() {
    LiveData data;
    data.state.name = "moments";
    data.set_plan(synthetic_plan({.ranks = 4}));
    for (int step = 1; step <= 100; ++step) {
        for (int rank = 0; rank < 4; ++rank) {
            const std::string node = rank < 2 ? "node1" : "node2";
            if (rank != 3 || step <= 60) {
                data.apply({0, kStart + step * kSecond, node, rank,
                            MetricEvent{step, 1, {{"loss", rank + 1.0 / step}, {"acc1", 0.5}}, {}}});
            }
            data.apply({0, kStart + step * kSecond + kSecond / 2, node, rank,
                        LogEvent{false, "step " + std::to_string(step) + "\n"}});
        }
    }
    return data;
}

std::uint32_t line_of(int step, int rank) {
    return std::uint32_t((step - 1) * 4 + rank);
}

TEST(RunMoments, AreTheNearestStepThatTheRankReported) {
    const LiveData run = two_nodes();
    const auto step_of = [&](std::int64_t t_us, int rank) {
        return moment_of_time(run, t_us, rank).value_or(RunMoment{0, -1, -1}).step;
    };
    EXPECT_EQ(step_of(kStart + 40 * kSecond, 1), 40);
    EXPECT_EQ(step_of(kStart + 40 * kSecond + 400'000, 1), 40);
    EXPECT_EQ(step_of(kStart + 40 * kSecond + 600'000, 1), 41);
    EXPECT_EQ(step_of(kStart + 90 * kSecond, 3), 60) << "rank 3 never got further";
    EXPECT_EQ(step_of(kStart + 90 * kSecond, -1), 90);
    EXPECT_EQ(step_of(kStart - 600 * kSecond, 0), 1) << "before the first step";
    EXPECT_EQ(step_of(kStart + 600 * kSecond, 0), 100) << "after the last one";
    EXPECT_FALSE(moment_of_time(run, 0, 0).has_value()) << "a line without a time";
    EXPECT_FALSE(moment_of_time(LiveData(), kStart, 0).has_value()) << "a run without steps";
}

TEST(RunMoments, StandOnEveryAxisAndLeadBack) {
    const LiveData run = two_nodes();
    const RunMoment moment{kStart + 40 * kSecond, 40, 2};
    for (const XUnit unit : XScale::units(run)) {
        XScale scale;
        scale.update(run, unit);
        const auto back = moment_of_x(run, scale, x_of_moment(run, scale, moment), 2);
        ASSERT_TRUE(back.has_value());
        EXPECT_EQ(back->step, 40) << int(unit);
        EXPECT_NEAR(double(back->t_us), double(moment.t_us), 1000) << int(unit);
    }
    XScale clock;
    clock.update(run, XUnit::Clock);
    const RunMoment late{kStart + 900 * kSecond, 100, -1};
    EXPECT_EQ(x_of_moment(run, clock, late), clock.of_step(100)) << "at the end, where it can be seen";
    EXPECT_EQ(span_of_x(run, clock, clock.of_step(20), clock.of_step(30)),
              (TimeSpan{kStart + 20 * kSecond, kStart + 30 * kSecond}));
    XScale steps;
    steps.update(run, XUnit::Step);
    EXPECT_EQ(span_of_x(run, steps, 20, 30), (TimeSpan{kStart + 20 * kSecond, kStart + 30 * kSecond}));
    EXPECT_EQ(span_of_x(run, steps, 90, 104), (TimeSpan{kStart + 90 * kSecond, TimeSpan::kOpenEnd}))
        << "what follows the last step belongs to it";
    EXPECT_EQ(span_of_x(run, steps, -2, 104), TimeSpan());
    EXPECT_FALSE(span_of_x(run, steps, 30, 30).has_value());
}

/// As two_nodes(); rank 2 reaches each step 20 s after the others.
LiveData with_a_late_rank() {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 4}));
    for (int second = 1; second <= 120; ++second) {
        for (int rank = 0; rank < 4; ++rank) {
            const int step = rank == 2 ? second - 20 : second;
            if (step >= 1 && step <= 100) {
                data.apply({0, kStart + second * kSecond, rank < 2 ? "node1" : "node2", rank,
                            MetricEvent{step, 1, {{"loss", 1.0 / step}}, {}}});
            }
        }
    }
    return data;
}

TEST(RunMoments, UseTheTimeOfTheRank) {
    const LiveData run = with_a_late_rank();
    const auto late = moment_of_time(run, kStart + 60 * kSecond, 2);
    ASSERT_TRUE(late.has_value());
    EXPECT_EQ(late->step, 40) << "a line of rank 2 belongs to where rank 2 was";
    EXPECT_EQ(moment_of_time(run, kStart + 60 * kSecond, 1).value_or(RunMoment()).step, 60);
    EXPECT_EQ(moment_of_time(run, kStart + 60 * kSecond, -1).value_or(RunMoment()).step, 60);
    XScale steps;
    steps.update(run, XUnit::Step);
    const auto seconds_at = [&](double step, int rank) {
        return double(moment_of_x(run, steps, step, rank).value_or(RunMoment()).t_us - kStart) / kSecond;
    };
    EXPECT_NEAR(seconds_at(40, 2), 60, 1e-3);
    EXPECT_NEAR(seconds_at(40, 0), 40, 1e-3);
    XScale clock;
    clock.update(run, XUnit::Clock);
    EXPECT_NEAR(clock.of_step(40, 2) - clock.of_step(40), 20, 1e-3);
    EXPECT_NEAR(clock.step_at(clock.of_step(40, 2), 2), 40, 1e-3);
    EXPECT_NEAR(x_of_moment(run, clock, {kStart + 119 * kSecond, 99, 2}), clock.of_step(99, 2), 1e-3)
        << "after the others have ended";
    EXPECT_EQ(steps.of_step(40, 2), steps.of_step(40));
}

TEST(StepDelays, AreBoundedForAThousandRanks) {
    StepDelays delays;
    for (int step = 1; step <= 100'000; ++step) {
        delays.add(step, 5 + step * 1e-4);
    }
    EXPECT_LE(delays.bytes() * 1024, 4'200'000U);
    for (const double step : {1.0, 777.0, 50'001.0, 99'999.0}) {
        EXPECT_NEAR(delays.at(step), 5 + step * 1e-4, 1e-3) << step;
    }
    EXPECT_NEAR(delays.at(200'000), 15, 1e-3) << "as at the last one";
    delays.add(5, 1e9);
    delays.add(200'001, std::numeric_limits<double>::quiet_NaN());
    EXPECT_NEAR(delays.at(100'000), 15, 1e-3);
    delays.truncate_from(50'000);
    delays.add(50'000, 1);
    EXPECT_EQ(delays.at(60'000), 1);
    EXPECT_EQ(StepDelays().at(3), 0);
}

TEST(RunMoments, AreReadAsText) {
    const auto clock = [](std::int64_t t_us, const QString& format) {
        return QDateTime::fromMSecsSinceEpoch(t_us / 1000).toString(format);
    };
    EXPECT_EQ(moment_text({kStart, 1200, 3}),
              clock(kStart, u"yyyy-MM-dd HH:mm:ss"_s) + u", step 1\u2009200, rank 3"_s);
    EXPECT_EQ(moment_text({kStart, 7, -1}), clock(kStart, u"yyyy-MM-dd HH:mm:ss"_s) + u", step 7"_s);
    const QString from = clock(kStart, u"HH:mm:ss"_s);
    EXPECT_EQ(span_text({kStart, kStart + 60 * kSecond}),
              from + u" – "_s + clock(kStart + 60 * kSecond, u"HH:mm:ss"_s));
    EXPECT_EQ(span_text({kStart, TimeSpan::kOpenEnd}), u"from "_s + from);
    EXPECT_EQ(span_text({TimeSpan::kOpenBegin, kStart}), u"until "_s + from);
    EXPECT_EQ(span_text({kStart, kStart + 250'000}).count(u'.'), 2) << "a short span has milliseconds";
    EXPECT_EQ(span_text({kStart, kStart + 86'400 * kSecond}).count(u"2025"_s), 2) << "a long one dates";
}

/// Live with a stored run: curves above, log below.
class Moments : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
        window_->live_page()->show_stored(two_nodes());
        plot()->set_x_unit(XUnit::Step);
        ASSERT_TRUE(
            wait_until([&] { return log()->rows()->count() == 400 && plot()->panels().size() == 2; }));
        plot()->plot()->replot(QCustomPlot::rpImmediateRefresh);
    }
    MetricPlot* plot() { return window_->live_page()->plot(); }
    PlotMoment* moment() { return plot()->moment(); }
    LogPane* log() { return window_->live_page()->log(); }
    LogView* view() { return log()->view(); }
    MetricPanel& loss() { return *plot()->panels().front(); }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    QPoint place(double step, double value) {
        return {int(std::lround(loss().x()->coordToPixel(step))),
                int(std::lround(loss().y()->coordToPixel(value)))};
    }
    /// The text of the selected line.
    QString selected() { return view()->selected_text(); }
    QMenu* menu_of(QWidget* widget, const QPoint& at, QContextMenuEvent::Reason reason, const char* name) {
        QContextMenuEvent event(reason, at, widget->mapToGlobal(at));
        QCoreApplication::sendEvent(widget, &event);
        QMenu* menu = nullptr;
        EXPECT_TRUE(wait_until([&] {
            for (QMenu* each : window_->findChildren<QMenu*>(QString::fromLatin1(name))) {
                menu = each->isVisible() ? each : menu;
            }
            return menu != nullptr;
        }));
        return menu;
    }
    static void choose(QMenu* menu, const char* action) {
        auto* found = child<QAction>(menu, action);
        EXPECT_TRUE(found->isEnabled()) << action;
        found->trigger();
        menu->close();
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(Moments, ADoubleClickOnALineMarksItOnAllCurves) {
    ASSERT_TRUE(view()->show_line(line_of(40, 2)));
    const std::uint32_t row = log()->rows()->row_of(line_of(40, 2));
    QTest::mouseDClick(view()->viewport(), Qt::LeftButton, {}, view()->row_rect(row).center());
    ASSERT_TRUE(moment()->marked().has_value());
    EXPECT_EQ(moment()->marked()->rank, 2);
    EXPECT_EQ(moment()->marked()->t_us, kStart + 40 * kSecond + kSecond / 2);
    EXPECT_NEAR(moment()->marked()->step, 40.5, 0.6);
    EXPECT_TRUE(plot()->following()) << "it is in view already";
    const double step = moment()->marked()->step;
    for (const auto& panel : plot()->panels()) {
        const QPoint there(int(std::lround(panel->x()->coordToPixel(step))),
                           panel->rect()->rect().center().y());
        EXPECT_TRUE(panel->texts_at(there).contains(moment_text(*moment()->marked()))) << panel->name();
    }
    EXPECT_TRUE(plot()->accessibleDescription().contains(u"rank 2"_s));
    // Drawn: the column of the mark differs from the one beside it.
    const QImage picture = plot()->plot()->toPixmap().toImage();
    const QRect box = loss().rect()->rect();
    const int x = int(loss().x()->coordToPixel(step));
    int dark = 0;
    for (int y = box.top(); y <= box.bottom(); ++y) {
        for (int near = x - 1; near <= x + 1; ++near) {
            dark += picture.pixelColor(near, y).lightness() < 90 ? 1 : 0;
        }
    }
    EXPECT_GT(dark, box.height() / 2);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Escape);
    EXPECT_FALSE(moment()->marked().has_value());
}

TEST_F(Moments, EnterOnALineBringsAZoomedCurveThere) {
    plot()->show_x(5, 25);
    const double span = plot()->x_range().size();
    ASSERT_TRUE(view()->show_line(line_of(80, 0)));
    view()->setFocus();
    QTest::keyClick(view(), Qt::Key_Return);
    ASSERT_TRUE(moment()->marked().has_value());
    EXPECT_TRUE(plot()->x_range().contains(moment()->marked()->step));
    EXPECT_NEAR(plot()->x_range().size(), span, 1e-6) << "as wide as before";
    // The menu of the line does the same.
    moment()->clear();
    QMenu* menu = menu_of(view(), {}, QContextMenuEvent::Keyboard, "logMenu");
    ASSERT_NE(menu, nullptr);
    choose(menu, "logShowMoment");
    EXPECT_TRUE(moment()->marked().has_value());
    window_->live_page()->show_stored(two_nodes());
    EXPECT_FALSE(moment()->marked().has_value()) << "another run begins without a mark";
}

TEST_F(Moments, ALineShowsItsMomentInPlaceOfNccl) {
    click(find<QToolButton>("showNccl"));
    EXPECT_TRUE(wait_until([&] { return plot()->plot()->visibleRegion().isEmpty(); }));
    ASSERT_TRUE(view()->show_line(line_of(10, 1)));
    view()->setFocus();
    QTest::keyClick(view(), Qt::Key_Enter);
    EXPECT_TRUE(wait_until([&] { return !plot()->plot()->visibleRegion().isEmpty(); }));
    EXPECT_TRUE(moment()->marked().has_value());
}

TEST_F(Moments, ControlAndAClickOnACurveShowItsLog) {
    // On the line of rank 2.
    QTest::mouseClick(plot()->plot(), Qt::LeftButton, Qt::ControlModifier, place(50, 2 + 1 / 50.0));
    EXPECT_EQ(selected(), u"[2] step 50"_s);
    EXPECT_TRUE(view()->viewport()->rect().contains(
        view()->row_rect(log()->rows()->row_of(*view()->current_line())).center()));
    EXPECT_EQ(moment()->marked()->step, 50);
    EXPECT_EQ(moment()->marked()->rank, 2);
    EXPECT_TRUE(plot()->following()) << "no zoom";
    // Between the lines: the first line of all ranks.
    QTest::mouseClick(plot()->plot(), Qt::LeftButton, Qt::ControlModifier, place(70, 2.6));
    EXPECT_EQ(selected(), u"[0] step 70"_s);
    // Another rank is shown: the log changes to that of the curve.
    log()->show_rank(1);
    QTest::mouseClick(plot()->plot(), Qt::LeftButton, Qt::ControlModifier, place(30, 1 / 30.0));
    EXPECT_EQ(log()->shown_rank(), 0);
    EXPECT_EQ(selected(), u"step 30"_s);
}

TEST_F(Moments, TheMenuOfACurveShowsItsLog) {
    QMenu* menu = menu_of(plot()->plot(), place(20, 2.6), QContextMenuEvent::Mouse, "panelMenu");
    ASSERT_NE(menu, nullptr);
    EXPECT_FALSE(child<QAction>(menu, "panelLogRange")->isEnabled()) << "all is in view";
    EXPECT_EQ(menu->findChild<QAction*>(u"panelUnmark"_s), nullptr);
    choose(menu, "panelShowLog");
    EXPECT_EQ(selected(), u"[0] step 20"_s);
}

TEST_F(Moments, KeysMoveTheMarkAndAskForTheLog) {
    find<QTableView>("rankTable")->selectRow(1);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Right, Qt::ControlModifier);
    ASSERT_TRUE(moment()->marked().has_value());
    const double begin = moment()->marked()->step;
    EXPECT_NEAR(begin, plot()->x_range().center(), 1);
    QTest::keyClick(plot(), Qt::Key_Right, Qt::ControlModifier);
    QTest::keyClick(plot(), Qt::Key_Right, Qt::ControlModifier);
    EXPECT_GT(moment()->marked()->step, begin + 1);
    QTest::keyClick(plot(), Qt::Key_Left, Qt::ControlModifier);
    EXPECT_TRUE(plot()->following()) << "the keys of the mark do not pan";
    const int step = int(moment()->marked()->step);
    QTest::keyClick(plot(), Qt::Key_Return);
    EXPECT_EQ(selected(), u"[1] step %1"_s.arg(step)) << "of the selected rank";
    EXPECT_TRUE(wait_until([&] { return view()->hasFocus(); }));
}

TEST_F(Moments, ARangeOfTheCurvesFiltersTheLogUntilItsChipIsRemoved) {
    auto* chip = find<QToolButton>("runRange");
    EXPECT_FALSE(chip->isVisible());
    plot()->show_x(20, 29.9);
    plot()->setFocus();
    QMenu* menu = menu_of(plot(), {}, QContextMenuEvent::Keyboard, "panelMenu");
    ASSERT_NE(menu, nullptr);
    choose(menu, "panelLogRange");
    EXPECT_EQ(log()->rows()->count(), 40U) << "ten steps of four ranks";
    EXPECT_EQ(view()->row_text(0).section(u' ', 2), u"[0] step 20"_s);
    EXPECT_TRUE(chip->isVisible());
    EXPECT_TRUE(chip->text().contains(u"steps 20–29"_s)) << qPrintable(chip->text());
    EXPECT_TRUE(chip->toolTip().contains(u":"_s)) << "the times";
    log()->show_rank(2);
    EXPECT_EQ(log()->rows()->count(), 10U) << "with whose lines are shown";
    // A late line of these times is taken, one of another time is not.
    ASSERT_TRUE(view()->show_line(line_of(25, 2)));
    click(chip);
    EXPECT_FALSE(chip->isVisible());
    EXPECT_EQ(log()->rows()->count(), 100U);
    EXPECT_EQ(selected(), u"step 25"_s) << "what was read stays selected";
    EXPECT_FALSE(view()->follows());
}

TEST_F(Moments, ControlAndADragFilterWithoutZoom) {
    const QCPRange before = plot()->x_range();
    QCustomPlot* area = plot()->plot();
    const QPoint from = place(40.1, 2.6);
    const QPoint to = place(49.9, 2.2);
    QTest::mousePress(area, Qt::LeftButton, Qt::ControlModifier, from);
    QMouseEvent move(QEvent::MouseMove, QPointF(to), QPointF(area->mapToGlobal(to)), Qt::NoButton,
                     Qt::LeftButton, Qt::ControlModifier);
    QCoreApplication::sendEvent(area, &move);
    QTest::mouseRelease(area, Qt::LeftButton, Qt::ControlModifier, to);
    EXPECT_EQ(plot()->x_range(), before);
    EXPECT_NEAR(double(log()->rows()->count()), 40, 4);
    // What lies elsewhere is asked for by name: the filter gives way.
    EXPECT_TRUE(log()->show_line(0, line_of(90, 0) + 1));
    EXPECT_EQ(selected(), u"[0] step 90"_s);
    EXPECT_FALSE(find<QToolButton>("runRange")->isVisible());
}

TEST_F(Moments, AMomentWithoutALineShowsTheLastOneBefore) {
    log()->show_moment(kStart + 900 * kSecond, 1);
    EXPECT_EQ(selected(), u"[1] step 100"_s);
    log()->show_moment(kStart - 900 * kSecond, -1);
    EXPECT_EQ(selected(), u"[0] step 1"_s);
}

TEST(RunRanges, AreStepsWhereTheRunHasThem) {
    const LiveData run = two_nodes();
    const auto text = [&](std::int64_t from, std::int64_t until) { return range_text(run, {from, until}); };
    EXPECT_EQ(text(kStart + 20 * kSecond, kStart + 30 * kSecond), u"steps 20–30"_s);
    EXPECT_EQ(text(kStart + 20 * kSecond - 1000, kStart + 20 * kSecond + 1000), u"step 20"_s);
    EXPECT_EQ(text(TimeSpan::kOpenBegin, kStart + 30 * kSecond), u"until step 30"_s);
    EXPECT_EQ(text(kStart + 90 * kSecond, TimeSpan::kOpenEnd), u"from step 90"_s);
    const TimeSpan between{kStart + 20 * kSecond + 200'000, kStart + 20 * kSecond + 400'000};
    EXPECT_EQ(range_text(run, between), span_text(between)) << "no step was reached there";
    EXPECT_EQ(range_text(LiveData(), between), span_text(between));
    EXPECT_FALSE(steps_in(LiveData(), between).has_value());
}

TEST(RankMeansOfARange, AreOfFiniteValuesOfEachRank) {
    LiveData run;
    run.set_plan(synthetic_plan({.ranks = 3}));
    for (int step = 1; step <= 20'000; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const double value = step == 11 && rank == 1 ? std::nan("") : rank * 1000 + step;
            run.apply({0, kStart + step, "node1", rank, MetricEvent{step, 1, {{"loss", value}}, {}}});
        }
    }
    const auto gate = std::make_shared<DataGate>();
    const MetricId loss = *run.state.metrics.find("loss");
    const auto mean = [&](double first, double last) {
        const auto means = rank_means({gate, gate->generation(), &run.series, {loss}, first, last});
        EXPECT_TRUE(means.has_value());
        return means->of.at(0);
    };
    const std::vector<double> some = mean(10, 12);
    ASSERT_EQ(some.size(), 3U);
    EXPECT_DOUBLE_EQ(some[0], 11);
    EXPECT_DOUBLE_EQ(some[1], 1011) << "of two values";
    EXPECT_TRUE(std::isnan(some[2])) << "it has reported nothing";
    EXPECT_DOUBLE_EQ(mean(1, 20'000)[0], 10'000.5) << "more than one slice";
    EXPECT_TRUE(std::isnan(mean(30'000, 40'000)[0]));
    DataGate::Change(*gate).replace();
    EXPECT_FALSE(rank_means({gate, 0, &run.series, {loss}, 1, 2}).has_value()) << "another run";
}

TEST_F(Moments, ARangeShowsTheMeansOfItsSteps) {
    const QAbstractItemModel* table = find<QTableView>("rankTable")->model();
    const auto column = [&] {
        for (int i = 0; i < table->columnCount(); ++i) {
            if (table->headerData(i, Qt::Horizontal).toString().contains(u"loss"_s, Qt::CaseInsensitive)) {
                return i;
            }
        }
        return -1;
    };
    ASSERT_GE(column(), 0);
    const QString header = table->headerData(column(), Qt::Horizontal).toString();
    const auto value = [&](int rank) { return table->index(rank, column()).data().toString().toDouble(); };
    EXPECT_NEAR(value(0), 1 / 100.0, 0.001) << "the last value";
    window_->live_page()->range()->set({kStart + kSecond, kStart + 4 * kSecond});
    EXPECT_EQ(table->headerData(column(), Qt::Horizontal).toString(), u"mean "_s + header);
    const double mean = (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4;
    EXPECT_TRUE(wait_until([&] { return std::abs(value(0) - mean) < 0.001; })) << value(0);
    EXPECT_NEAR(value(3), 3 + mean, 0.001);
    window_->live_page()->range()->set({kStart + 80 * kSecond, kStart + 90 * kSecond});
    EXPECT_TRUE(wait_until([&] { return value(0) > 0.011 && value(0) < 0.013; }));
    EXPECT_TRUE(table->index(3, column()).data().toString().isEmpty()) << "rank 3 has no value there";
    click(find<QToolButton>("runRange"));
    EXPECT_EQ(table->headerData(column(), Qt::Horizontal).toString(), header);
    EXPECT_NEAR(value(0), 1 / 100.0, 0.001);
}

TEST_F(Moments, ARangeFadesTheRestOfTheCurves) {
    const QRect box = plot()->panels().front()->rect()->rect();
    const auto picture = [&] { return plot()->plot()->toPixmap().toImage().copy(box); };
    const auto pixel = [&](double step) {
        return int(plot()->panels().front()->x()->coordToPixel(step)) - box.left();
    };
    const auto differs = [&](const QImage& a, const QImage& b, int from, int until) {
        return a.copy(from, 0, until - from, a.height()) != b.copy(from, 0, until - from, b.height());
    };
    const QImage whole = picture();
    RunRange* range = window_->live_page()->range();
    range->set({kStart + 20 * kSecond, kStart + 40 * kSecond});
    const QImage faded = picture();
    EXPECT_TRUE(differs(whole, faded, 0, pixel(20) - 2));
    EXPECT_FALSE(differs(whole, faded, pixel(21) + 2, pixel(40) - 2));
    EXPECT_TRUE(differs(whole, faded, pixel(43), box.width()));
    range->set({TimeSpan::kOpenBegin, kStart + 40 * kSecond});
    EXPECT_FALSE(differs(whole, picture(), 0, pixel(40) - 2));
    range->clear();
    EXPECT_EQ(picture(), whole);
}

TEST_F(Moments, ARangeComesFromTheSelectedLinesAndEndsWithTheRun) {
    ASSERT_TRUE(view()->show_line(line_of(40, 0)));
    view()->setFocus();
    for (int i = 0; i < 8; ++i) {
        QTest::keyClick(view(), Qt::Key_Down, Qt::ShiftModifier);
    }
    QMenu* menu = menu_of(view(), {}, QContextMenuEvent::Keyboard, "logMenu");
    ASSERT_NE(menu, nullptr);
    choose(menu, "logSelectRange");
    RunRange* range = window_->live_page()->range();
    ASSERT_TRUE(range->is_set());
    EXPECT_GE(log()->rows()->count(), 8U);
    EXPECT_LE(log()->rows()->count(), 12U);
    window_->live_page()->show_stored(two_nodes());
    EXPECT_FALSE(range->is_set()) << "another run is shown whole";
    EXPECT_FALSE(find<QToolButton>("runRange")->isVisible());
    ASSERT_TRUE(wait_until([&] { return log()->rows()->count() == 400; }));
}

}  // namespace
}  // namespace rankscope::gui::testing
