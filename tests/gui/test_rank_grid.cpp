// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_grid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace rankscope::gui {
namespace {

constexpr MetricId kLoss{0};

std::vector<MetricSeries> make_ranks(int count, int steps, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> noise(0, 1);
    std::vector<MetricSeries> ranks(static_cast<std::size_t>(count));
    for (int step = 1; step <= steps; ++step) {
        for (MetricSeries& rank : ranks) {
            rank.add(kLoss, step, noise(random));
        }
    }
    return ranks;
}

/// The points that a band of the steps [x0, x1] has.
std::vector<AggregatePoint> points_of(RankGrid& grid, const std::vector<MetricSeries>& ranks, double x0,
                                      double x1, int buckets) {
    const GridView view = RankGrid::view(ranks, kLoss, x0, x1, buckets);
    grid.update(ranks, kLoss, view);
    std::vector<AggregatePoint> points;
    for (auto at = grid.columns().lower_bound(view.begin); at != grid.columns().lower_bound(view.end); ++at) {
        if (at->second.point.ranks > 0) {
            points.push_back(at->second.point);
        }
    }
    return points;
}

TEST(Quantile, IsTheNearestRankOfTheSortedValues) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<float> values(1 + random() % 300);
        for (float& value : values) {
            value = float(random() % 1000);
        }
        std::vector<float> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        for (const double q : {0.0, 0.1, 0.5, 0.9, 1.0}) {
            std::vector<float> copy = values;
            EXPECT_EQ(quantile(copy, q), sorted[std::size_t(double(sorted.size() - 1) * q + 0.5)]);
        }
    }
}

TEST(RankGrid, SingleStepsEqualSorting) {
    const auto ranks = make_ranks(100, 50, 2);
    RankGrid grid;
    std::vector<AggregatePoint> points;
    points = points_of(grid, ranks, 1, 50, 1000);
    ASSERT_EQ(points.size(), 50U);
    for (const AggregatePoint& point : points) {
        std::vector<float> values;
        for (const MetricSeries& rank : ranks) {
            values.push_back(rank.column(kLoss).at(std::size_t(point.x) - 1));
        }
        std::sort(values.begin(), values.end());
        EXPECT_EQ(point.ranks, 100);
        EXPECT_EQ(point.min, values.front());
        EXPECT_EQ(point.max, values.back());
        EXPECT_EQ(point.median, values[50]);
        EXPECT_EQ(point.p10, values[10]);
        EXPECT_EQ(point.p90, values[89]);
    }
}

TEST(RankGrid, WiderBucketsKeepTheExtremes) {
    const auto ranks = make_ranks(40, 5000, 3);
    RankGrid grid;
    std::vector<AggregatePoint> points;
    points = points_of(grid, ranks, 1, 5000, 300);
    EXPECT_LE(points.size(), 302U);
    MinMax all;
    MinMax drawn;
    for (const MetricSeries& rank : ranks) {
        all.add(rank.column(kLoss).range(1, 5000));
    }
    for (const AggregatePoint& point : points) {
        drawn.add(point.min);
        drawn.add(point.max);
        EXPECT_LE(point.min, point.p10);
        EXPECT_LE(point.p10, point.median);
        EXPECT_LE(point.median, point.p90);
        EXPECT_LE(point.p90, point.max);
    }
    EXPECT_EQ(all, drawn);
}

TEST(RankGrid, WhatIsKeptIsWhatWouldBeCountedAfresh) {
    auto ranks = make_ranks(64, 10, 4);
    RankGrid kept;
    std::vector<AggregatePoint> points;
    std::mt19937 random(5);
    std::normal_distribution<float> noise(0, 1);
    for (int step = 11; step < 400; ++step) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (rank != 7 || step < 200) {  // one rank stays behind
                ranks[rank].add(kLoss, step, noise(random));
            }
        }
        points = points_of(kept, ranks, 1, step, 100);
        RankGrid fresh;
        std::vector<AggregatePoint> expected;
        expected = points_of(fresh, ranks, 1, step, 100);
        ASSERT_EQ(points.size(), expected.size()) << step;
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(points[i].min, expected[i].min);
            ASSERT_EQ(points[i].median, expected[i].median);
            ASSERT_EQ(points[i].ranks, expected[i].ranks);
        }
    }
}

TEST(RankGrid, ARankThatBeginsLaterCounts) {
    auto ranks = make_ranks(3, 100, 6);
    ranks.emplace_back();
    RankGrid grid;
    std::vector<AggregatePoint> points;
    points = points_of(grid, ranks, 1, 100, 1000);
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.front().ranks, 3) << "one that does not report this metric holds up nothing";
    for (int step = 1; step <= 100; ++step) {
        ranks[3].add(kLoss, step, 50);
    }
    points = points_of(grid, ranks, 1, 100, 1000);
    EXPECT_EQ(points.front().ranks, 4);
    EXPECT_EQ(points.front().max, 50);
}

TEST(RankGrid, NoRanksAndNoStepsAreNothing) {
    RankGrid grid;
    std::vector<AggregatePoint> points;
    points = points_of(grid, {}, 0, 10, 100);
    EXPECT_TRUE(points.empty());
    points = points_of(grid, std::vector<MetricSeries>(3), 0, 10, 100);
    EXPECT_TRUE(points.empty());
}

}  // namespace
}  // namespace rankscope::gui
