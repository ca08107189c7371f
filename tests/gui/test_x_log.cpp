// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The logarithmic x axis: where steps stand on it, how ranks and lines are counted for it, and how it is used.

#include <gui/data/metric_choice.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_export.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_tickers.h>
#include <gui/strings.h>

#include <tests/gui/plot_fixture.h>
#include <tests/gui/synthetic_run.h>

#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace rankscope::gui::testing {
namespace {

constexpr MetricId kLoss{0};

/// Ranks that report a falling loss at the steps [first, first + count), one each half second.
LiveData run_of(int ranks, int first, int count) {
    LiveData data;
    data.state.name = "x-log";
    data.set_plan(synthetic_plan({.ranks = ranks}));
    for (int step = first; step < first + count; ++step) {
        for (int rank = 0; rank < ranks; ++rank) {
            const double loss = 1 + 1000.0 / (step - first + 1) + 0.001 * rank;
            data.apply({0, 1'760'000'000'000'000 + std::int64_t(step - first) * 500'000, "node1", rank,
                        MetricEvent{step, 1, {{"loss", loss}, {"samples", step * 64.0}}, {}}});
        }
    }
    return data;
}

TEST(StepBuckets, OfARatioAreInOrderWithoutAGap) {
    for (const int level : {0, 1, 3, 5, 24}) {
        const StepBuckets buckets{level, true};
        std::int64_t before = buckets.bucket_of(-3);
        for (std::int64_t step = -2; step < 5000; ++step) {
            const std::int64_t bucket = buckets.bucket_of(double(step));
            ASSERT_TRUE(bucket == before || bucket == before + 1) << "level " << level << " step " << step;
            ASSERT_EQ(bucket == before, step != buckets.first_step(bucket))
                << "level " << level << " step " << step;
            before = bucket;
        }
    }
}

TEST(StepBuckets, OfARatioHaveAboutTheSameLength) {
    const StepBuckets buckets{4, true};
    for (double step = 32; step < 1e18; step *= 1.37) {
        const std::int64_t bucket = buckets.bucket_of(step);
        const auto begin = double(buckets.first_step(bucket));
        const double ratio = double(buckets.first_step(bucket + 1)) / begin;
        EXPECT_LE(begin, step);
        EXPECT_GE(ratio, 1 + 1 / 32.0) << step;
        EXPECT_LE(ratio, 1 + 1 / 16.0) << step;
    }
}

TEST(StepBuckets, AreAsFineAsTheirNumberAllows) {
    for (const double last : {1.0, 50.0, 1e3, 1e6, 9e18}) {
        const StepBuckets buckets = StepBuckets::of_ratio(1, last, 300);
        EXPECT_LE(buckets.bucket_of(last) - buckets.bucket_of(1), 300) << last;
        EXPECT_TRUE(last <= 300 || buckets.bucket_of(last) - buckets.bucket_of(1) > 100) << last;
    }
    const StepBuckets all = StepBuckets::of_ratio(-1e19, std::numeric_limits<double>::infinity(), 300);
    EXPECT_GE(all.first_step(all.bucket_of(1e19) + 1), all.first_step(all.bucket_of(1e19)));
    EXPECT_EQ(StepBuckets::equal(0, 1e19, 300).level, 55);
}

TEST(RankGrid, BucketsOfARatioEqualSorting) {
    std::mt19937 random(5);
    std::normal_distribution<float> noise(0, 1);
    std::vector<MetricSeries> ranks(40);
    RankGrid grid;
    // Counted again and again while the run grows: the kept buckets must equal those of a new grid.
    for (int step = 0; step < 3000; ++step) {
        for (MetricSeries& rank : ranks) {
            rank.add(kLoss, step, noise(random));
        }
        if (step % 211 != 0 && step != 2999) {
            continue;
        }
        const GridView view = RankGrid::view(ranks, kLoss, 0, 3000, 100, true);
        grid.update(ranks, kLoss, view);
        RankGrid fresh;
        fresh.update(ranks, kLoss, view);
        for (std::int64_t bucket = view.begin; bucket < view.end; ++bucket) {
            ASSERT_EQ(grid.columns().count(bucket), 1U);
            ASSERT_EQ(*grid.columns().at(bucket).values, *fresh.columns().at(bucket).values);
            MinMax extremes;
            for (std::int64_t at = view.first_step(bucket);
                 at < std::min<std::int64_t>(view.first_step(bucket + 1), step + 1); ++at) {
                for (const MetricSeries& rank : ranks) {
                    extremes.add(rank.column(kLoss).at(std::size_t(at)));
                }
            }
            ASSERT_EQ(grid.columns().at(bucket).point.min, extremes.min);
            ASSERT_EQ(grid.columns().at(bucket).point.max, extremes.max);
        }
    }
}

TEST(Decimate, ColumnsOfARatioKeepTheEnvelope) {
    std::mt19937 random(9);
    MetricSeries series;
    for (int step = 1; step <= 50000; ++step) {
        series.add(kLoss, step, float(random() % 1000));
    }
    std::vector<double> edges;
    for (int i = 0; i <= 200; ++i) {
        edges.push_back(std::pow(50000.0, i / 200.0));
    }
    std::vector<PlotPoint> points;
    decimate(series.column(kLoss), edges, points);
    EXPECT_LE(points.size(), 402U);
    double before = 0;
    MinMax drawn;
    for (const PlotPoint& point : points) {
        EXPECT_GE(point.x, before);
        before = point.x;
        if (point.x > edges[150] && point.x < edges[160]) {
            drawn.add(float(point.y));
        }
    }
    MinMax all;
    for (auto step = int(std::ceil(edges[150])); step < edges[160]; ++step) {
        all.add(series.column(kLoss).at(std::size_t(step) - 1));
    }
    EXPECT_EQ(drawn, all);
    decimate(series.column(kLoss), std::vector<double>{}, points);
    EXPECT_TRUE(points.empty());
}

TEST(XScale, ALogarithmicPositionLeadsBack) {
    const LiveData run = run_of(2, 0, 500);
    for (const XUnit unit : XScale::units(run)) {
        XScale scale;
        scale.update(run, unit, true);
        EXPECT_EQ(scale.is_log(), unit != XUnit::Clock) << ss(x_unit_key(unit));
        for (const double step : {2.0, 30.0, 499.0}) {
            EXPECT_NEAR(scale.step_at(scale.of_step(step)), step, 1e-6) << ss(x_unit_key(unit));
        }
        EXPECT_TRUE(std::isfinite(scale.of_step(0)));
        EXPECT_TRUE(std::isfinite(scale.of_step(-1e12)));
        EXPECT_TRUE(std::isfinite(scale.step_at(1e9)));
    }
    XScale scale;
    scale.update(run, XUnit::Step, true);
    EXPECT_EQ(scale.of_step(100), 2);
    EXPECT_EQ(scale.text(2), u"step 100"_s);
    EXPECT_EQ(scale.first_step(0), 1);
    EXPECT_EQ(scale.first_step(-5), 1);
    EXPECT_EQ(scale.first_step(20), 20);
    EXPECT_TRUE(scale.is_log_over(1, 400));
    EXPECT_FALSE(scale.is_log_over(300, 400)) << "equal buckets are as good there";
}

class Ticks : public LogPositionTicker {
public:
    using LogPositionTicker::LogPositionTicker;
    QStringList of(double from, double to) {
        const QCPRange range(std::log10(from), std::log10(to));
        QStringList texts;
        for (const double tick : createTickVector(0, range)) {
            texts += getTickLabel(tick, {}, {}, 0);
        }
        return texts;
    }
};

TEST(Tickers, ALogarithmicXAxisHasDecades) {
    EXPECT_EQ(Ticks(XUnit::Step).of(0.9, 1.2e5),
              (QStringList{u"1"_s, u"10"_s, u"100"_s, u"1000"_s, u"10k"_s, u"100k"_s}));
    EXPECT_EQ(Ticks(XUnit::Step).of(0.9, 60),
              (QStringList{u"1"_s, u"2"_s, u"5"_s, u"10"_s, u"20"_s, u"50"_s}));
    EXPECT_EQ(Ticks(XUnit::Step).of(0.05, 12).front(), u"1"_s) << "whole steps only";
    EXPECT_EQ(Ticks(XUnit::Epoch).of(0.01, 12).front(), u"0.01"_s);
    EXPECT_GE(Ticks(XUnit::Step).of(210, 290).size(), 3);
    EXPECT_LE(Ticks(XUnit::Samples).of(1, 1e18).size(), 7);
    EXPECT_EQ(Ticks(XUnit::Elapsed).of(0.5, 4000),
              (QStringList{u"0:00:01"_s, u"0:00:10"_s, u"0:01:00"_s, u"0:10:00"_s, u"1:00:00"_s}));
}

class XLogPlot : public ShownPlot {
protected:
    double pixel_of(double step) { return loss().x()->coordToPixel(plot_.scale().of_step(step)); }
};

TEST_F(XLogPlot, EveryDecadeIsAsWide) {
    show(run_of(4, 0, 10'000));
    plot_.set_x_log(true);
    settle();
    const QRect box = loss().rect()->rect();
    const double decade = pixel_of(100) - pixel_of(10);
    EXPECT_NEAR(pixel_of(10'000) - pixel_of(1000), decade, 1);
    EXPECT_GT(decade, box.width() / 5.0);
    EXPECT_GE(pixel_of(1), box.left()) << "the first step that has a place is in view";
    EXPECT_LT(pixel_of(0), box.left());
    // Step 0 has the highest loss; the line begins at step 1.
    CurveShape shape;
    for (int i = 0; i < plot_.plot()->plottableCount(); ++i) {
        if (auto* line = dynamic_cast<SeriesPlottable*>(plot_.plot()->plottable(i))) {
            line->add_to(shape);
        }
    }
    ASSERT_EQ(shape.strokes.size(), 4U);
    EXPECT_NEAR(shape.strokes.front().points.front().x(), pixel_of(1), 1);
    EXPECT_EQ(loss().values_at(10).size(), 4);
}

TEST_F(XLogPlot, TheSameStepsRemainInView) {
    show(run_of(4, 1, 2000));
    plot_.show_x(100, 400);
    plot_.set_x_log(true);
    EXPECT_NEAR(plot_.scale().step_at(plot_.x_range().lower), 100, 1);
    EXPECT_NEAR(plot_.scale().step_at(plot_.x_range().upper), 400, 1);
    const PlotPlace place = plot_.place();
    plot_.set_following(true);
    plot_.return_to(place);
    EXPECT_NEAR(plot_.scale().step_at(plot_.x_range().upper), 400, 1);
    plot_.set_x_unit(XUnit::Samples);
    EXPECT_TRUE(plot_.scale().is_log());
    EXPECT_NEAR(plot_.scale().step_at(plot_.x_range().lower), 100, 1);
    plot_.set_x_unit(XUnit::Clock);
    EXPECT_FALSE(plot_.scale().is_log());
    plot_.set_x_unit(XUnit::Step);
    plot_.set_x_log(false);
    EXPECT_NEAR(plot_.x_range().lower, 100, 2);
    EXPECT_NEAR(plot_.x_range().upper, 400, 2);
}

TEST_F(XLogPlot, ZoomAndPanStayInTheRun) {
    show(run_of(4, 0, 2000));
    plot_.set_x_log(true);
    settle();
    for (int i = 0; i < 80; ++i) {
        plot_.zoom_x(0.8, plot_.x_range().center());
    }
    const auto [first, last] = steps_in_view(loss().x(), plot_.scale());
    EXPECT_GE(last - first, 2) << "steps";
    EXPECT_LE(last - first, 8) << "steps";
    settle();
    for (int i = 0; i < 80; ++i) {
        plot_.zoom_x(1.25, plot_.x_range().center());
        plot_.pan(-0.3);
    }
    EXPECT_GT(plot_.x_range().lower, -3);
    EXPECT_LT(plot_.x_range().upper, 6);
    settle();
}

TEST_F(XLogPlot, BandAndHeatMapShowTheFirstStepsOneByOne) {
    show(run_of(64, 0, 5000));
    plot_.set_x_log(true);
    settle();
    ASSERT_TRUE(loss().draws_band());
    const auto& points = loss().view().points();
    ASSERT_GT(points.size(), 100U);
    EXPECT_TRUE(loss().view().shown().buckets.log);
    EXPECT_EQ(points[5].x - points[4].x, 1);
    EXPECT_GT(points.back().x - points[points.size() - 2].x, 10);
    PanelSettings heat;
    heat.heat = true;
    plot_.set_settings("loss", heat);
    settle();
    for (const double step : {1.0, 7.0, 50.0, 4000.0}) {
        const QPointF place(pixel_of(step), loss().y()->coordToPixel(9));
        const auto cell = loss().heat_map()->cell_at(place);
        ASSERT_TRUE(cell.has_value()) << step;
        EXPECT_LE(cell->first_step, step + 0.5);
        EXPECT_GE(cell->last_step, step - 0.5);
        EXPECT_LE(cell->last_step - cell->first_step, step / 20);
        EXPECT_EQ(cell->rank, 9);
        // Painted there, not only counted: ranks below the median are blue.
        const QColor color = plot_.plot()->toPixmap().toImage().pixelColor(QPointF(place).toPoint());
        EXPECT_GT(color.blue(), color.red() + 20) << step;
    }
    const QImage picture = plot_.plot()->toPixmap().toImage();
    const int row = int(loss().y()->coordToPixel(9));
    for (int x = int(pixel_of(2)); x < int(pixel_of(4900)); ++x) {
        const QColor color = picture.pixelColor(x, row);
        ASSERT_GT(color.blue(), color.red() + 20) << "no gap between columns, pixel " << x;
    }
    plot_.show_x(std::log10(3000), std::log10(4000));
    settle();
    EXPECT_FALSE(loss().view().shown().buckets.log) << "about a length each";
}

TEST_F(XLogPlot, KeysAndTheMenuSwitchIt) {
    show(run_of(2, 1, 100));
    QSignalSpy asked(&plot_, &MetricPlot::xLogChanged);
    plot_.setFocus();
    QTest::keyClick(&plot_, Qt::Key_Down);
    QTest::keyClick(&plot_, Qt::Key_L, Qt::ShiftModifier);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_TRUE(asked.front().front().toBool());
    EXPECT_FALSE(loss().settings().log) << "that is the other axis";
    PanelMenu menus(&plot_);
    const std::unique_ptr<QMenu> menu(menus.make("loss", {}));
    auto* action = menu->findChild<QAction*>(u"panelXLog"_s);
    ASSERT_NE(action, nullptr);
    EXPECT_FALSE(action->isChecked());
    action->trigger();
    EXPECT_EQ(asked.count(), 2);
    plot_.set_x_unit(XUnit::Clock);
    const std::unique_ptr<QMenu> of_clock(menus.make("loss", {}));
    EXPECT_FALSE(of_clock->findChild<QAction*>(u"panelXLog"_s)->isEnabled());
}

TEST_F(XLogPlot, AMarkMovesByAnEqualLength) {
    show(run_of(2, 1, 10'000));
    plot_.set_x_log(true);
    settle();
    plot_.moment()->show(*moment_of_x(live_.data(), plot_.scale(), plot_.scale().of_step(10), -1));
    plot_.setFocus();
    QTest::keyClick(&plot_, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_EQ(plot_.moment()->marked()->step, 12);
    plot_.moment()->show(*moment_of_x(live_.data(), plot_.scale(), plot_.scale().of_step(1), -1));
    QTest::keyClick(&plot_, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_EQ(plot_.moment()->marked()->step, 2) << "at least a step";
    plot_.moment()->show(*moment_of_x(live_.data(), plot_.scale(), plot_.scale().of_step(5000), -1));
    QTest::keyClick(&plot_, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_GT(plot_.moment()->marked()->step, 5100);
}

TEST_F(XLogPlot, ATableHasValuesNotLogarithms) {
    show(run_of(2, 1, 100));
    plot_.set_x_unit(XUnit::Samples);
    plot_.set_x_log(true);
    settle();
    const QStringList rows = panel_table(plot_, loss(), u'\t').split(u'\n');
    EXPECT_TRUE(rows.at(0).startsWith(u"step\tsamples\t"_s));
    EXPECT_TRUE(rows.at(10).startsWith(u"10\t640\t"_s)) << ss(rows.at(10));
}

TEST(MetricChoice, KeepsTheScaleOfTheXAxis) {
    MetricChoice choice;
    choice.set_job("x-log-kept");
    EXPECT_FALSE(choice.log());
    choice.keep_log(true);
    MetricChoice again;
    again.set_job("x-log-kept");
    EXPECT_TRUE(again.log());
    again.set_job("x-log-other");
    EXPECT_FALSE(again.log());
}

}  // namespace
}  // namespace rankscope::gui::testing
