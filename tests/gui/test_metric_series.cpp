// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_series.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rankscope::gui {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

MinMax slow_range(const std::vector<float>& values, std::size_t begin, std::size_t end) {
    MinMax range;
    for (std::size_t i = begin; i < std::min(end, values.size()); ++i) {
        range.add(values[i]);
    }
    return range;
}

class Pyramid : public ::testing::TestWithParam<unsigned> {};

TEST_P(Pyramid, EqualsBruteForceWhateverIsAppendedAndTruncated) {
    std::mt19937 random(GetParam());
    std::normal_distribution<float> value(0, 10);
    MinMaxPyramid pyramid;
    std::vector<float> twin;
    for (int round = 0; round < 60; ++round) {
        const auto count = random() % 1500;
        for (unsigned i = 0; i < count; ++i) {
            const float next = random() % 11 == 0 ? kNan : value(random);
            pyramid.append(next);
            twin.push_back(next);
        }
        if (random() % 5 == 0 && !twin.empty()) {
            const std::size_t keep = random() % twin.size();
            pyramid.truncate(keep);
            twin.resize(keep);
        }
        ASSERT_EQ(pyramid.size(), twin.size());
        for (int query = 0; query < 40; ++query) {
            const std::size_t begin = random() % (twin.size() + 1);
            const std::size_t end = begin + random() % (twin.size() + 2 - begin);
            const MinMax fast = pyramid.range(begin, end);
            const MinMax slow = slow_range(twin, begin, end);
            ASSERT_EQ(fast, slow) << begin << " … " << end << " of " << twin.size();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Pyramid, ::testing::Range(1U, 9U));

TEST(MinMaxPyramid, NothingFiniteIsEmpty) {
    MinMaxPyramid pyramid;
    EXPECT_TRUE(pyramid.range(0, 10).empty());
    pyramid.append(kNan);
    EXPECT_TRUE(pyramid.range(0, 1).empty());
    EXPECT_TRUE(std::isnan(pyramid.last_finite(0, 1)));
    pyramid.append(3);
    pyramid.append(kNan);
    EXPECT_FLOAT_EQ(pyramid.last_finite(0, 3), 3);
}

TEST(StepAxis, RegularAndIrregularStepsAreFoundAlike) {
    for (const bool regular : {true, false}) {
        StepAxis axis;
        std::vector<std::int64_t> twin;
        std::int64_t step = 5;
        std::mt19937 random(3);
        for (int i = 0; i < 500; ++i) {
            axis.append(step);
            twin.push_back(step);
            step += regular ? 10 : 1 + std::int64_t(random() % 20);
        }
        for (double x = -3; x < double(step) + 20; x += 1.5) {
            const auto at = std::lower_bound(twin.begin(), twin.end(), x,
                                             [](std::int64_t a, double b) { return double(a) < b; });
            ASSERT_EQ(axis.lower_bound(x), std::size_t(at - twin.begin())) << x;
        }
        for (std::size_t i = 0; i < twin.size(); ++i) {
            ASSERT_EQ(axis.at(i), twin[i]);
        }
    }
}

constexpr MetricId kLoss{0};
constexpr MetricId kAccuracy{1};
constexpr MetricId kRate{2};

MetricSeries noisy(int steps, unsigned seed) {
    MetricSeries series;
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, 1);
    for (int step = 1; step <= steps; ++step) {
        series.add(kLoss, step, noise(random));
        series.add(kRate, step, float(step));
    }
    return series;
}

TEST(StepAxis, ReportsWithAShorterLastDistanceAreTruncatedAnywhere) {
    StepAxis axis;
    std::vector<std::int64_t> twin;
    for (int epoch = 0; epoch < 5; ++epoch) {
        for (int step = 50; step < 1875 + 50; step += 50) {
            twin.push_back(epoch * 1875 + std::min(step, 1875));
            axis.append(twin.back());
        }
    }
    for (const std::size_t size : {150U, 149U, 77U, 76U, 38U, 2U, 1U, 0U}) {
        axis.truncate(size);
        twin.resize(size);
        ASSERT_EQ(axis.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
            ASSERT_EQ(axis.at(i), twin[i]) << size;
        }
        for (double x = 0; x < 9400; x += 12.5) {
            const auto at = std::lower_bound(twin.begin(), twin.end(), x,
                                             [](std::int64_t a, double b) { return double(a) < b; });
            ASSERT_EQ(axis.lower_bound(x), std::size_t(at - twin.begin())) << x << " of " << size;
        }
    }
    axis.append(7);
    axis.append(8);
    EXPECT_EQ(axis.at(1), 8);
}

TEST(MetricSeries, EveryMetricHasItsOwnSteps) {
    MetricSeries series;
    series.add(kLoss, 1, 1);
    series.add(kAccuracy, 1, 0.5F);
    series.add(kLoss, 2, 2);
    EXPECT_EQ(series.column(kLoss).size(), 2U);
    EXPECT_EQ(series.column(kAccuracy).size(), 1U);
    EXPECT_TRUE(series.column(kRate).empty());
    EXPECT_EQ(series.last_step(), 2);
    EXPECT_EQ(series.first_step(), 1);
}

TEST(MetricSeries, TheSameStepAgainReplacesTheValueByAFiniteOne) {
    MetricSeries series;
    series.add(kLoss, 1, 1);
    EXPECT_FALSE(series.add(kLoss, 1, 3));
    series.add(kLoss, 1, kNan);
    ASSERT_EQ(series.column(kLoss).size(), 1U);
    EXPECT_FLOAT_EQ(series.column(kLoss).at(0), 3);
}

TEST(MetricSeries, AnEarlierStepReplacesWhatCameAfterItInThatMetric) {
    MetricSeries series = noisy(100, 1);
    EXPECT_TRUE(series.add(kLoss, 40, 7));
    EXPECT_EQ(series.column(kLoss).size(), 40U);
    EXPECT_FLOAT_EQ(series.column(kLoss).at(39), 7);
    EXPECT_EQ(series.column(kRate).size(), 100U) << "an event file that is flushed late takes nothing away";
}

TEST(MetricSeries, ARestartedRankReplacesAllItsMetrics) {
    MetricSeries series = noisy(100, 1);
    series.restart();
    EXPECT_TRUE(series.add(kLoss, 40, 7));
    EXPECT_EQ(series.column(kLoss).size(), 40U);
    EXPECT_EQ(series.column(kRate).size(), 39U);
}

TEST(MetricColumn, ValuesThatAreNotFiniteAreGaps) {
    MetricColumn column;
    for (int step = 1; step <= 20; ++step) {
        const float value = step >= 5 && step <= 7 ? kNan
                            : step == 12           ? std::numeric_limits<float>::infinity()
                                                   : float(step);
        column.add(step, value);
    }
    EXPECT_EQ(column.gaps(), (std::vector<MetricColumn::Gap>{{4, 7}, {11, 12}}));
    EXPECT_EQ(column.range(1, 20), (MinMax{1, 20}));
    std::vector<PlotPoint> points;
    decimate(column, 1, 20, 400, points);
    std::vector<double> breaks;
    for (const PlotPoint& point : points) {
        if (std::isnan(point.y)) {
            breaks.push_back(point.x);
        }
    }
    EXPECT_EQ(breaks, (std::vector<double>{5, 12})) << "the line breaks once for each gap";
    column.truncate_from(6);
    EXPECT_EQ(column.gaps(), (std::vector<MetricColumn::Gap>{{4, 5}}));
}

TEST(Decimate, FewPointsStayAsTheyAre) {
    const MetricSeries series = noisy(50, 2);
    std::vector<PlotPoint> points;
    decimate(series.column(kLoss), 1, 50, 400, points);
    ASSERT_EQ(points.size(), 50U);
    EXPECT_EQ(points.front().x, 1);
    EXPECT_EQ(points.back().x, 50);
    decimate(series.column(kLoss), 10, 20, 400, points);
    EXPECT_EQ(points.size(), 13U) << "eleven inside and a neighbour on either side";
    decimate(series.column(kAccuracy), 1, 50, 400, points);
    EXPECT_TRUE(points.empty()) << "never measured";
}

TEST(Decimate, EnvelopeOfEveryColumnIsThatOfAllPoints) {
    const MetricSeries series = noisy(20000, 3);
    constexpr int kColumns = 300;
    const double x0 = 1234;
    const double x1 = 18000;
    std::vector<PlotPoint> points;
    decimate(series.column(kLoss), x0, x1, kColumns, points);
    EXPECT_LE(points.size(), std::size_t(2 * kColumns + 2));
    const double width = (x1 - x0) / kColumns;
    for (int column = 0; column < kColumns; ++column) {
        const double from = x0 + column * width;
        const double to = column + 1 == kColumns ? std::nextafter(x1, 1e9) : x0 + (column + 1) * width;
        MinMax expected;
        for (int step = 1; step <= 20000; ++step) {
            if (step >= from && step < to) {
                expected.add(series.column(kLoss).at(std::size_t(step) - 1));
            }
        }
        MinMax drawn;
        for (const PlotPoint& point : points) {
            if (std::abs(point.x - (from + width / 2)) < width * 0.25) {
                drawn.add(float(point.y));
            }
        }
        ASSERT_EQ(drawn, expected) << "column " << column;
    }
}

TEST(Decimate, AThousandRanksOfAHundredThousandStepsFitTheirTime) {
    // Not a benchmark: only that no frame visits all samples. 32 × 1e5 is what is drawn at most as
    // curves.
    std::vector<MetricSeries> ranks;
    for (unsigned rank = 0; rank < 32; ++rank) {
        ranks.push_back(noisy(100000, rank));
    }
    std::vector<PlotPoint> points;
    std::size_t drawn = 0;
    for (const MetricSeries& rank : ranks) {
        decimate(rank.column(kLoss), 1, 100000, 500, points);
        drawn += points.size();
    }
    EXPECT_LE(drawn, 32U * 1002U);
}

}  // namespace
}  // namespace rankscope::gui
