// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

namespace rankscope::gui::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// Losses that scatter; rank 3 may keep far above the others.
std::vector<QueuedItem> step_of(int ranks, std::int64_t step, bool outlier) {
    std::mt19937 random{static_cast<unsigned>(step)};
    std::normal_distribution<double> noise(0, 0.05);
    std::vector<QueuedItem> items;
    for (int rank = 0; rank < ranks; ++rank) {
        const double loss =
            (rank == 3 && outlier ? 2.5 : 1.0) + 0.2 * std::sin(double(step) / 30) + noise(random);
        items.emplace_back(Event{0, 1, "node1", rank, MetricEvent{step, 1, {{"loss", loss}}, {}}});
    }
    return items;
}

/// How many pixels of the curves differ by more than what blending twice rounds.
int different_pixels(const QImage& a, const QImage& b, const QRect& box) {
    constexpr int kRounding = 6;
    int count = 0;
    for (int y = box.top(); y <= box.bottom(); ++y) {
        for (int x = box.left(); x <= box.right(); ++x) {
            const QColor one = a.pixelColor(x, y);
            const QColor other = b.pixelColor(x, y);
            const int most =
                std::max({std::abs(one.red() - other.red()), std::abs(one.green() - other.green()),
                          std::abs(one.blue() - other.blue())});
            count += most > kRounding ? 1 : 0;
        }
    }
    return count;
}

class CurvePictures : public ::testing::Test {
protected:
    void show(int ranks, int steps) {
        ranks_ = ranks;
        LiveData data;
        data.set_plan(synthetic_plan({.ranks = ranks}));
        live_.reset(std::move(data));
        plot_ = std::make_unique<MetricPlot>();
        plot_->resize(900, 320);
        plot_->set_live(&live_);
        plot_->set_metrics({"loss"});
        plot_->show();
        add_steps(steps);
        settle();
    }
    void add_steps(int count) {
        for (int i = 0; i < count; ++i) {
            live_.apply(step_of(ranks_, ++last_, outlier_));
        }
        plot_->refresh();
        plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    }
    void settle() {
        do {
            ASSERT_TRUE(wait_until([&] { return !loss().busy(); }));
            plot_->refresh();
            plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
        } while (loss().busy());
    }
    MetricPanel& loss() { return *plot_->panels().front(); }
    QImage screen() { return plot_->plot()->grab().toImage(); }
    /// Painted from the values, as files are.
    QImage expected() { return plot_->plot()->toPixmap().toImage(); }
    int wrong_pixels() { return different_pixels(screen(), expected(), loss().rect()->rect()); }

    LiveModel live_;
    std::unique_ptr<MetricPlot> plot_;
    int ranks_ = 0;
    std::int64_t last_ = 0;
    bool outlier_ = false;
};

TEST_F(CurvePictures, TheScreenIsWhatAFileWouldBe) {
    outlier_ = true;
    show(300, 200);
    ASSERT_TRUE(loss().draws_band());
    EXPECT_EQ(loss().line_ranks(), std::vector<int>{3});
    EXPECT_EQ(wrong_pixels(), 0);
    plot_->set_selected_ranks({7});
    settle();
    EXPECT_EQ(wrong_pixels(), 0);
}

TEST_F(CurvePictures, NewStepsArePaintedAtOnceBesideTheOldOnes) {
    show(64, 130);
    for (int i = 0; i < 20; ++i) {
        const QCPRange x = plot_->x_range();
        const QCPRange y = loss().y()->range();
        add_steps(1);
        if (plot_->x_range() == x && loss().y()->range() == y) {
            EXPECT_FALSE(loss().picture()->painting()) << "at step " << last_;
            EXPECT_EQ(wrong_pixels(), 0) << "at step " << last_;
        }
        settle();
    }
    EXPECT_EQ(wrong_pixels(), 0);
}

TEST_F(CurvePictures, DenseCurvesOfFewRanksAreThoseOfAFile) {
    show(8, 3000);
    ASSERT_FALSE(loss().draws_band());
    for (int i = 0; i < 5; ++i) {
        add_steps(7);
        settle();
        // A line without antialiasing that is cut off elsewhere may round another way.
        EXPECT_LT(wrong_pixels(), 40) << "at step " << last_;
    }
}

TEST_F(CurvePictures, TheLastPictureRemainsUntilTheNewestIsThere) {
    show(300, 400);
    const QRect box = loss().rect()->rect();
    plot_->show_x(50, 250);
    plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    ASSERT_TRUE(loss().picture()->painting());
    const QImage between = screen();
    int coloured = 0;  // axes and grid are grey
    for (int y = box.top(); y <= box.bottom(); ++y) {
        for (int x = box.left(); x <= box.right(); ++x) {
            coloured += between.pixelColor(x, y).hsvSaturation() > 40 ? 1 : 0;
        }
    }
    EXPECT_GT(coloured, 2000) << "the band of before, where its steps are now";
    for (const double first : {60.0, 90.0, 120.0}) {
        plot_->show_x(first, first + 100);
        plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    }
    settle();
    EXPECT_EQ(plot_->x_range(), QCPRange(120, 220));
    EXPECT_EQ(wrong_pixels(), 0);
    // Far in, and back: the earlier picture is millions of pixels wide, or one.
    plot_->show_x(200, 204);
    EXPECT_EQ(screen().size(), between.size());
    plot_->set_following(true);
    settle();
    EXPECT_EQ(wrong_pixels(), 0);
}

TEST_F(CurvePictures, OtherColoursAndAnotherSizePaintAllAgain) {
    show(300, 100);
    QPalette dark = plot_->palette();
    dark.setColor(QPalette::Base, QColor(20, 22, 26));
    dark.setColor(QPalette::Window, QColor(20, 22, 26));
    plot_->setPalette(dark);
    settle();
    EXPECT_EQ(wrong_pixels(), 0);
    plot_->resize(700, 260);
    plot_->plot()->resize(700, 260);
    settle();
    EXPECT_EQ(wrong_pixels(), 0);
    plot_->set_settings("loss", {.log = true});
    settle();
    EXPECT_EQ(wrong_pixels(), 0);
}

TEST_F(CurvePictures, AHeatMapThatGrewIsTheOneThatIsMadeOnce) {
    show(300, 100);
    plot_->set_settings("loss", {.heat = true});
    settle();
    for (int i = 0; i < 40; ++i) {
        add_steps(9);
        settle();
    }
    plot_->show_x(20, 300);
    plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
    settle();
    MetricPlot once;
    once.set_at_once(true);
    once.resize(900, 320);
    once.set_all_settings(plot_->all_settings());
    once.set_live(&live_);
    once.set_metrics({"loss"});
    once.show();
    once.show_x(20, 300);
    once.plot()->replot(QCustomPlot::rpImmediateRefresh);
    EXPECT_FALSE(once.panels().front()->busy());
    EXPECT_EQ(screen(), once.plot()->grab().toImage());
}

TEST_F(CurvePictures, APanelMayGoWhileAWorkerPaintsIt) {
    for (const bool heat : {false, true}) {
        show(300, 400);
        plot_->set_settings("loss", {.heat = heat});
        settle();
        for (int i = 0; i < 10; ++i) {
            plot_->show_x(10 + i, 300 + i);
            plot_->plot()->replot(QCustomPlot::rpImmediateRefresh);
            if (i % 3 == 0) {
                plot_->set_metrics({});
                plot_->set_metrics({"loss"});
            }
        }
        live_.clear();
        plot_.reset();
        last_ = 0;
    }
    QCoreApplication::processEvents();
}

CurveShape shape_of(const QPolygonF& line) {
    CurveShape shape;
    shape.strokes.push_back({line, Qt::black, 1, false});
    return shape;
}

TEST(CurveShape, KnowsWhereItDiffers) {
    const QPolygonF line{{0, 1}, {10, 2}, {20, kGap}, {30, 4}};
    EXPECT_EQ(differ_from(shape_of(line), shape_of(line)), kInfinity);
    QPolygonF longer = line;
    longer << QPointF(40, 5);
    EXPECT_LE(differ_from(shape_of(line), shape_of(longer)), 30) << "the edge from the last point";
    EXPECT_GT(differ_from(shape_of(line), shape_of(longer)), 20);
    QPolygonF other = line;
    other[1].setY(7);
    EXPECT_LE(differ_from(shape_of(line), shape_of(other)), 0);
    CurveShape red = shape_of(line);
    red.strokes.front().color = Qt::red;
    EXPECT_EQ(differ_from(shape_of(line), red), -kInfinity);
    EXPECT_EQ(differ_from(shape_of(line), {}), -kInfinity);
    EXPECT_EQ(differ_from({}, {}), kInfinity);
    EXPECT_EQ(differ_from(shape_of({}), shape_of({})), kInfinity);
}

TEST(LatestJob, TheNewestRequestIsDoneAndWhatWasBegunArrives) {
    QThreadPool pool;
    pool.setMaxThreadCount(1);
    static std::atomic<bool> go;
    go = false;
    QObject context;
    std::vector<int> results;
    LatestJob<int, int> job(
        &context, &pool,
        [](const int& request) {
            while (!go) {
                std::this_thread::yield();
            }
            return request;
        },
        [&](int result) { results.push_back(result); });
    for (int i = 1; i <= 5; ++i) {
        job.request(i);
    }
    go = true;
    ASSERT_TRUE(wait_until([&] { return !job.running(); }));
    EXPECT_EQ(results, (std::vector<int>{1, 5}));
    job.request(6);
    job.request(7);
    job.cancel();
    pool.waitForDone();
    QCoreApplication::processEvents();
    EXPECT_EQ(results.size(), 2U) << "a cancelled one never arrives";
}

}  // namespace
}  // namespace rankscope::gui::testing
