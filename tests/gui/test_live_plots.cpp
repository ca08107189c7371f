// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_choice.h>
#include <gui/data/rank_outliers.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_tickers.h>
#include <gui/strings.h>

#include <tests/gui/plot_fixture.h>
#include <tests/gui/synthetic_run.h>

#include <QSettings>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rankscope::gui::testing {
namespace {

constexpr float kNanValue = std::numeric_limits<float>::quiet_NaN();
constexpr MetricId kLoss{0};

/// A run of many ranks whose losses scatter about a falling curve; rank 7 keeps a third below it.
LiveData many_ranks(int ranks, int steps, double below = 0.35) {
    LiveData data;
    data.state.name = "many-ranks";
    data.set_plan(synthetic_plan({.ranks = ranks}));
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.02);
    for (int step = 1; step <= steps; ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            double loss = (1 + 2 * std::exp(-step / 50.0)) * (1 + noise(random));
            loss *= rank == 7 ? 1 - below : 1;
            MetricEvent metric{step, 1.0 + (step - 1) / 50, {{"loss", loss}, {"samples", step * 64.0}}, {}};
            if (step == 1) {
                metric.values.push_back({"steps_per_epoch", 50});
            }
            data.apply({0, 1'760'000'000'000'000 + step * 500'000, "node1", rank, metric});
        }
    }
    return data;
}

class LivePlots : public ShownPlot {
protected:
    void mouse(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers keys = {}) {
        QCustomPlot* area = plot_.plot();
        QTest::mousePress(area, Qt::LeftButton, keys, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), QPointF(area->mapToGlobal(to)), Qt::NoButton,
                         Qt::LeftButton, keys);
        QCoreApplication::sendEvent(area, &move);
        QTest::mouseRelease(area, Qt::LeftButton, keys, to);
    }
};

TEST_F(LivePlots, ARankThatKeepsAwayIsNamedAndAClickSelectsIt) {
    show(many_ranks(64, 200));
    EXPECT_TRUE(loss().draws_band());
    const auto& chips = loss().chips().chips();
    ASSERT_EQ(chips.size(), 1U);
    EXPECT_EQ(chips.front().rank, 7);
    EXPECT_EQ(chips.front().text, u"rank 7: -35 %"_s);
    EXPECT_EQ(loss().line_ranks(), std::vector<int>{7}) << "beside the band, its own line";
    QSignalSpy clicked(&plot_, &MetricPlot::rankClicked);
    const QPoint chip = loss().chips().chip_rect(0).center().toPoint();
    ASSERT_FALSE(chip.isNull());
    mouse(chip, chip);
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked.front().front().toInt(), 7);
}

TEST_F(LivePlots, TheHeatMapShowsRankStepAndValue) {
    show(many_ranks(64, 200));
    plot_.setFocus();
    QTest::keyClick(&plot_, Qt::Key_Down);
    QTest::keyClick(&plot_, Qt::Key_H);
    settle();
    ASSERT_TRUE(loss().draws_heat_map());
    EXPECT_TRUE(loss().note().isEmpty());
    EXPECT_TRUE(loss().line_ranks().empty());
    const QPoint place(int(loss().x()->coordToPixel(100)), int(loss().y()->coordToPixel(7)));
    const auto cell = loss().heat_map()->cell_at(place);
    ASSERT_TRUE(cell.has_value());
    EXPECT_EQ(cell->rank, 7);
    EXPECT_NEAR(cell->first_step, 100, 2);
    EXPECT_EQ(cell->value, live_.data().series[7].column(kLoss).at(std::size_t(cell->last_step) - 1));
    EXPECT_TRUE(loss().texts_at(place).first().startsWith(u"rank 7: "_s));
    // The row of rank 7 is blue, far from its neighbours' grey.
    const QImage picture = plot_.plot()->toPixmap().toImage();
    const QColor there = picture.pixelColor(place);
    EXPECT_GT(there.blue(), there.red() + 60);
    QSignalSpy clicked(&plot_, &MetricPlot::rankClicked);
    mouse(place, place);
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked.front().front().toInt(), 7);
    QTest::keyClick(&plot_, Qt::Key_H);
    EXPECT_FALSE(loss().draws_heat_map());
}

TEST_F(LivePlots, TheMedianOfABandIsSmoothed) {
    show(many_ranks(64, 200));
    const auto shape = [&] {
        CurveShape of_band;
        for (int i = 0; i < plot_.plot()->plottableCount(); ++i) {
            if (auto* band = dynamic_cast<BandPlottable*>(plot_.plot()->plottable(i))) {
                band->add_to(of_band);
            }
        }
        return of_band;
    };
    ASSERT_EQ(shape().strokes.size(), 1U);
    const CurveStroke raw = shape().strokes.front();
    plot_.set_smoothing(0.97);
    settle();
    ASSERT_EQ(shape().strokes.size(), 2U);
    EXPECT_EQ(shape().strokes[0].points, raw.points);
    EXPECT_LT(shape().strokes[0].color.alphaF(), 0.5) << "the median itself stays, pale";
    EXPECT_NE(shape().strokes[1].points, raw.points);
    EXPECT_EQ(shape().strokes[1].color, raw.color);
    EXPECT_GT(raw.points.last().y(), shape().strokes[1].points.last().y() + 1)
        << "the loss falls: its average is above";
}

TEST_F(LivePlots, EveryPanelShowsItsValueBesideTheCrossHair) {
    show(many_ranks(4, 200), {"loss", "samples", "=loss@mean"});
    // Returns the step that is nearest to the pixel.
    const auto point_at = [&](int step) {
        const QPoint place(int(loss().x()->coordToPixel(step)), loss().rect()->rect().center().y());
        QMouseEvent move(QEvent::MouseMove, QPointF(place), QPointF(plot_.plot()->mapToGlobal(place)),
                         Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(plot_.plot(), &move);
        return int(std::round(loss().x()->pixelToCoord(place.x())));
    };
    const auto values = [&](int panel) {
        QStringList texts;
        for (const auto& value : plot_.panels()[std::size_t(panel)]->cursor().values()) {
            texts += value.text;
        }
        return texts;
    };
    EXPECT_EQ(values(1), QStringList());
    int step = point_at(100);
    EXPECT_EQ(values(1), QStringList{u"median %1"_s.arg(step * 64)});
    EXPECT_EQ(values(0).size(), 1);
    EXPECT_FALSE(values(2).first().contains(u"median"_s)) << "one value has no median";
    plot_.set_selected_ranks({1, 3});
    step = point_at(50);
    EXPECT_EQ(values(1), (QStringList{u"rank 1: %1"_s.arg(step * 64), u"rank 3: %1"_s.arg(step * 64)}));
    EXPECT_TRUE(plot_.panels()[1]->cursor().visible());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&plot_, &leave);
    EXPECT_FALSE(plot_.panels()[1]->cursor().visible());
    EXPECT_TRUE(values(1).isEmpty());
}

TEST_F(LivePlots, TheCrossHairOfABandShowsTheMedian) {
    show(many_ranks(64, 200));
    PanelSettings heat;
    heat.heat = true;
    for (const bool map : {false, true}) {
        plot_.set_settings("loss", map ? heat : PanelSettings());
        settle();
        loss().set_cursor(plot_.scale().of_step(100), true);
        ASSERT_EQ(loss().cursor().values().size(), 1U);
        EXPECT_TRUE(loss().cursor().values().front().text.startsWith(u"median 1."_s));
    }
}

TEST_F(LivePlots, ALineStandsAtTheTimeOfItsRank) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 2}));
    for (int second = 1; second <= 60; ++second) {
        data.apply({0, second * 1'000'000, "node1", 0, MetricEvent{second, 1, {{"loss", 1.0}}, {}}});
        if (second > 10) {
            data.apply({0, second * 1'000'000, "node1", 1, MetricEvent{second - 10, 1, {{"loss", 2.0}}, {}}});
        }
    }
    show(std::move(data));
    plot_.set_x_unit(XUnit::Elapsed);
    settle();
    const double begin = plot_.scale().of_step(1, 1);
    EXPECT_NEAR(begin - plot_.scale().of_step(1), 10, 0.01);
    CurveShape shape;
    for (int i = 0; i < plot_.plot()->plottableCount(); ++i) {
        auto* line = dynamic_cast<SeriesPlottable*>(plot_.plot()->plottable(i));
        if (line != nullptr && line->rank() == 1) {
            line->add_to(shape);
        }
    }
    ASSERT_EQ(shape.strokes.size(), 1U);
    EXPECT_NEAR(shape.strokes.front().points.first().x(), loss().x()->coordToPixel(begin), 1);
    EXPECT_EQ(loss().values_at(30).size(), 2);
}

TEST_F(LivePlots, AWorkerCountsWhatTakesLong) {
    show(many_ranks(300, 400));
    EXPECT_FALSE(loss().view().points().empty());
    EXPECT_TRUE(loss().note().isEmpty());
    std::vector<QueuedItem> items;
    for (int rank = 0; rank < 300; ++rank) {
        items.emplace_back(Event{0, 1, "node1", rank, MetricEvent{401, 9, {{"loss", 1}}, {}}});
    }
    live_.apply(items);
    plot_.refresh();
    EXPECT_FALSE(loss().view().counting()) << "one more step is counted at once";
    EXPECT_EQ(loss().view().points().back().median, 1);
    plot_.show_x(10, 60);
    EXPECT_FALSE(loss().view().points().empty()) << "the picture of before remains";
    settle();
    EXPECT_EQ(loss().view().grid().width(), StepBuckets());
    // Another run while a worker counts: nothing of the old one arrives.
    plot_.set_following(true);
    live_.reset(many_ranks(20, 10));
    plot_.set_live(&live_);
    settle();
    EXPECT_EQ(loss().view().points().size(), 10U);
}

TEST_F(LivePlots, DraggingZoomsIntoARectangleAndADoubleClickFits) {
    show(many_ranks(4, 200));
    const QRect box = loss().rect()->rect();
    const QCPRange x = plot_.x_range();
    const QCPRange y = loss().y()->range();
    mouse(box.topLeft() + QPoint(box.width() / 4, box.height() / 4), box.center());
    EXPECT_NEAR(plot_.x_range().lower, x.lower + x.size() / 4, x.size() / 50);
    EXPECT_NEAR(plot_.x_range().upper, x.center(), x.size() / 50);
    EXPECT_NEAR(loss().y()->range().upper, y.upper - y.size() / 4, y.size() / 20);
    EXPECT_FALSE(plot_.following());
    const QCPRange zoomed = plot_.x_range();
    mouse(box.center(), box.center() + QPoint(box.width() / 10, 0), Qt::ShiftModifier);
    EXPECT_LT(plot_.x_range().lower, zoomed.lower) << "with Shift it pans";
    QTest::mouseDClick(plot_.plot(), Qt::LeftButton, {}, box.center());
    EXPECT_TRUE(plot_.following());
    EXPECT_EQ(plot_.x_range(), x);
    EXPECT_EQ(loss().y()->range(), y);
    mouse(box.center(), box.center() + QPoint(box.width() / 10, 4));
    EXPECT_FALSE(loss().settings().y.has_value()) << "a flat rectangle zooms in x only";
    EXPECT_FALSE(plot_.following());
}

TEST_F(LivePlots, TheXAxisCountsWhatIsChosen) {
    show(many_ranks(2, 200));
    const auto units = XScale::units(live_.data());
    EXPECT_EQ(units, (std::vector{XUnit::Step, XUnit::Epoch, XUnit::Elapsed, XUnit::Clock, XUnit::Samples}));
    plot_.set_x_unit(XUnit::Epoch);
    EXPECT_NEAR(plot_.scale().of_step(200), 4, 1e-9);
    EXPECT_GT(plot_.x_range().upper, 3.9);
    plot_.set_x_unit(XUnit::Samples);
    EXPECT_NEAR(plot_.scale().of_step(100), 6400, 1);
    plot_.set_x_unit(XUnit::Clock);
    EXPECT_NEAR(plot_.scale().of_step(100), 1'760'000'050, 0.01);
    EXPECT_TRUE(loss().note().isEmpty());
    plot_.show_x(plot_.scale().of_step(50), plot_.scale().of_step(150));
    plot_.set_x_unit(XUnit::Step);
    EXPECT_NEAR(plot_.x_range().lower, 50, 0.01) << "the same steps remain in view";
    EXPECT_NEAR(plot_.x_range().upper, 150, 0.01);
}

TEST_F(LivePlots, ALogScaleShowsWhatIsAboveZero) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    for (int step = 1; step <= 60; ++step) {
        const double loss = step % 10 == 0 ? -1 : std::pow(10.0, -step / 10.0);
        data.apply({0, 1, "node1", 0, MetricEvent{step, 1, {{"loss", loss}, {"zero", 0.0}}, {}}});
    }
    show(std::move(data), {"loss", "zero"});
    PanelSettings log;
    log.log = true;
    plot_.set_settings("loss", log);
    plot_.set_settings("zero", log);
    EXPECT_EQ(loss().y()->scaleType(), QCPAxis::stLogarithmic);
    EXPECT_NEAR(std::log10(loss().y()->range().lower), -5.9, 0.6);
    EXPECT_GT(loss().y()->range().upper, 0.7);
    EXPECT_TRUE(plot_.panels()[1]->note().contains(u"above 0"_s));
}

TEST_F(LivePlots, MomentsOfTheRunStandOnTheCurves) {
    LiveData data = many_ranks(2, 120);
    data.apply(
        {0, 1'760'000'070'000'000, "node1", -1, StageEvent{StageName::Pause, StageStatus::Done, {}, -1}});
    data.apply(
        {0, 1'760'000'070'100'000, "node2", -1, StageEvent{StageName::Pause, StageStatus::Done, {}, -1}});
    ExitEvent exit;
    exit.signal = 9;
    data.apply({0, 1'760'000'080'000'000, "node1", 1, exit});
    std::vector<RunMark::Kind> kinds;
    for (const RunMark& mark : data.marks.all()) {
        kinds.push_back(mark.kind);
    }
    using Kind = RunMark::Kind;
    EXPECT_EQ(kinds, (std::vector{Kind::Epoch, Kind::Epoch, Kind::Pause, Kind::Failure}));
    EXPECT_EQ(data.marks.all().front().step, 51);
    EXPECT_EQ(mark_text(data.marks.all()[2]), u"Paused: node1, node2"_s);
    show(std::move(data));
    const QPoint place(int(loss().x()->coordToPixel(120)), loss().rect()->rect().center().y());
    EXPECT_TRUE(loss().texts_at(place).join(u' ').contains(u"SIGKILL"_s));
    const QPoint epoch(int(loss().x()->coordToPixel(51)), place.y());
    EXPECT_TRUE(loss().texts_at(epoch).contains(u"Epoch 2"_s));
}

TEST_F(LivePlots, ATitleIsDraggedToAnotherPlace) {
    LiveData data;
    data.set_plan(synthetic_plan({.ranks = 1}));
    for (int step = 1; step <= 20; ++step) {
        data.apply({0, 1, "node1", 0, MetricEvent{step, 1, {{"a", 1}, {"b", 2}, {"c", 3}}, {}}});
    }
    show(std::move(data), {"a", "missing", "b", "c"});
    QSignalSpy arranged(&plot_, &MetricPlot::arranged);
    const QRect last = plot_.panels()[2]->rect()->outerRect();
    mouse(plot_.panels()[0]->title_rect().center(), last.center() + QPoint(last.width() / 4, 0));
    ASSERT_EQ(arranged.count(), 1);
    EXPECT_EQ(arranged.front().front().value<std::vector<std::string>>(),
              (std::vector<std::string>{"missing", "b", "c", "a"}));
    EXPECT_EQ(plot_.shown_metrics(), (std::vector<std::string>{"b", "c", "a"}));
}

TEST(RankOutliers, HalfOfTheRanksMayBeAnything) {
    std::vector<MetricSeries> ranks(100);
    std::mt19937 random(3);
    std::normal_distribution<float> noise(0, 1);
    for (int step = 1; step <= 200; ++step) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            float value = 100 + noise(random);
            value += rank == 11 ? 40.F : rank == 12 ? -20.F : 0.F;
            value = rank == 13 ? kNanValue : value;
            ranks[rank].add(kLoss, step, value);
        }
    }
    const GridView view = RankGrid::view(ranks, kLoss, 1, 200, 300);
    RankGrid grid;
    grid.update(ranks, kLoss, view);
    const auto outliers = find_outliers(grid, view);
    ASSERT_EQ(outliers.size(), 2U);
    EXPECT_EQ(outliers[0].rank, 11);
    EXPECT_NEAR(outliers[0].share, 0.4, 0.01);
    EXPECT_EQ(outliers[1].rank, 12);
    EXPECT_EQ(outlier_text("t_step_ms", outliers[1]), u"rank 12: -20 %"_s);
    EXPECT_TRUE(find_outliers(RankGrid(), {}).empty());
}

TEST(RankOutliers, EqualRanksHaveNone) {
    std::vector<MetricSeries> ranks(40);
    for (int step = 1; step <= 50; ++step) {
        for (MetricSeries& rank : ranks) {
            rank.add(kLoss, step, 2.5F);
        }
    }
    const GridView view = RankGrid::view(ranks, kLoss, 1, 50, 300);
    RankGrid grid;
    grid.update(ranks, kLoss, view);
    EXPECT_TRUE(find_outliers(grid, view).empty());
    ranks[3].add(kLoss, 51, 3);
    grid.update(ranks, kLoss, RankGrid::view(ranks, kLoss, 1, 51, 300));
    EXPECT_EQ(grid.columns().at(51).point.ranks, 1);
}

QStringList labels(QCPAxisTicker&& ticker, double lower, double upper) {
    QVector<double> ticks;
    QVector<QString> labels;
    ticker.generate({lower, upper}, QLocale::c(), u'g', 4, ticks, nullptr, &labels);
    QStringList inside;
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        if (ticks[i] >= lower && ticks[i] <= upper) {
            inside += labels[i];
        }
    }
    return inside;
}

TEST(Tickers, APercentAxisHasOnePrecision) {
    EXPECT_EQ(labels(ValueTicker(MetricUnit::Share), 0, 0.01),
              (QStringList{u"0.0 %"_s, u"0.2 %"_s, u"0.4 %"_s, u"0.6 %"_s, u"0.8 %"_s, u"1.0 %"_s}));
    EXPECT_TRUE(labels(ValueTicker(MetricUnit::Share), 0, 1).contains(u"40 %"_s));
    EXPECT_TRUE(labels(ValueTicker(MetricUnit::Share), 0.5, 0.5004).contains(u"50.02 %"_s));
    const QStringList decades = labels(LogTicker(MetricUnit::Share), 0.00009, 0.6);
    EXPECT_TRUE(decades.contains(u"0.01 %"_s)) << ss(decades.join(u' '));
    EXPECT_TRUE(decades.contains(u"10 %"_s)) << ss(decades.join(u' '));
    EXPECT_TRUE(labels(LogTicker(MetricUnit::Share), 0.00015, 0.0006).contains(u"0.02 %"_s));
    for (const QString& label : labels(LogTicker(MetricUnit::Share), 0.00021, 0.00029)) {
        EXPECT_EQ(label.size(), u"0.021 %"_s.size()) << ss(label);
    }
}

TEST(StepTrack, IsReadBothWaysAndSurvivesClocksThatJump) {
    StepTrack track;
    for (int step = 1; step <= 100'000; ++step) {
        track.add(step, 1000 + step * 0.5);
    }
    for (const double step : {1.0, 77.0, 50'000.0, 99'999.0, 120'000.0}) {
        EXPECT_NEAR(track.at(step), 1000 + step * 0.5, 0.01) << step;
        EXPECT_NEAR(track.step_at(track.at(step)), step, 0.01) << step;
    }
    track.add(100'001, 1e12);    // a clock far ahead
    track.add(100'002, 60'000);  // and right again
    EXPECT_NEAR(track.at(100'002), 60'000, 1e-6);
    EXPECT_LE(track.at(100'001), 60'000);
    track.add(100'003, std::numeric_limits<double>::quiet_NaN());
    track.add(5, 7);
    EXPECT_NEAR(track.at(100'002), 60'000, 1e-6);
    track.truncate_from(50'000);
    EXPECT_NEAR(track.at(49'000), 1000 + 24'500, 30);
    EXPECT_EQ(StepTrack().at(7), 7);
}

TEST(RunMarks, AreBounded) {
    RunMarks marks;
    for (int i = 0; i < 5000; ++i) {
        marks.apply({0, 1, "node1", 0, MetricEvent{i + 1, double(i), {{"loss", 1}}, {}}}, i + 1, i + 1);
    }
    marks.apply({0, 1, "node1", -1, StageEvent{StageName::Restart, StageStatus::Done, {}, -1}}, 5000);
    EXPECT_EQ(marks.all().size(), RunMarks::kMost);
    EXPECT_GT(marks.dropped(), 0U);
    EXPECT_EQ(marks.all().back().kind, RunMark::Kind::Restart);
}

TEST(MetricChoice, KeepsHowPanelsAreDrawn) {
    QSettings().remove(u"live"_s);
    MetricChoice choice;
    choice.set_job("job/1");
    choice.keep_unit(XUnit::Elapsed);
    PanelSettings settings;
    settings.heat = true;
    settings.smoothing = 0.9;
    settings.y = ValueRange{1, 2};
    choice.keep_settings({{"loss", settings}, {"a\nname/of [its] own", {.log = true}}});
    MetricChoice again;
    again.set_job("job/1");
    EXPECT_EQ(again.unit(), XUnit::Elapsed);
    EXPECT_EQ(again.smoothing(), 0);
    again.keep_smoothing(85);
    PanelSettings formula;
    formula.title = "Gap of = / [all] ranks";
    formula.unit = MetricUnit::Milliseconds;
    auto with_formula = again.settings();
    with_formula["=loss - loss@mean"] = formula;
    again.keep_settings(with_formula);
    MetricChoice third;
    third.set_job("job/1");
    EXPECT_EQ(third.smoothing(), 85);
    EXPECT_EQ(third.settings().at("=loss - loss@mean"), formula);
    settings.y.reset();
    EXPECT_EQ(again.settings().at("loss"), settings);
    EXPECT_TRUE(again.settings().at("a\nname/of [its] own").log);
    again.set_job("job/2");
    EXPECT_EQ(again.unit(), XUnit::Step);
    EXPECT_TRUE(again.settings().empty());
}

}  // namespace
}  // namespace rankscope::gui::testing
