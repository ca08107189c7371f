// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_aggregate.h>

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

TEST(RankAggregate, SingleStepsEqualSorting) {
    const auto ranks = make_ranks(100, 50, 2);
    RankAggregate aggregate(kLoss);
    std::vector<AggregatePoint> points;
    aggregate.query(ranks, 1, 50, 1000, points);
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

TEST(RankAggregate, WiderBucketsKeepTheExtremes) {
    const auto ranks = make_ranks(40, 5000, 3);
    RankAggregate aggregate(kLoss);
    std::vector<AggregatePoint> points;
    aggregate.query(ranks, 1, 5000, 300, points);
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

TEST(RankAggregate, WhatIsKeptIsWhatWouldBeCountedAfresh) {
    auto ranks = make_ranks(64, 10, 4);
    RankAggregate kept(kLoss);
    std::vector<AggregatePoint> points;
    std::mt19937 random(5);
    std::normal_distribution<float> noise(0, 1);
    for (int step = 11; step < 400; ++step) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (rank != 7 || step < 200) {  // one rank stays behind
                ranks[rank].add(kLoss, step, noise(random));
            }
        }
        kept.query(ranks, 1, step, 100, points);
        RankAggregate fresh(kLoss);
        std::vector<AggregatePoint> expected;
        fresh.query(ranks, 1, step, 100, expected);
        ASSERT_EQ(points.size(), expected.size()) << step;
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(points[i].min, expected[i].min);
            ASSERT_EQ(points[i].median, expected[i].median);
            ASSERT_EQ(points[i].ranks, expected[i].ranks);
        }
    }
}

TEST(RankAggregate, ARankThatBeginsLaterCounts) {
    auto ranks = make_ranks(3, 100, 6);
    ranks.emplace_back();
    RankAggregate aggregate(kLoss);
    std::vector<AggregatePoint> points;
    aggregate.query(ranks, 1, 100, 1000, points);
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.front().ranks, 3) << "one that does not report this metric holds up nothing";
    for (int step = 1; step <= 100; ++step) {
        ranks[3].add(kLoss, step, 50);
    }
    aggregate.query(ranks, 1, 100, 1000, points);
    EXPECT_EQ(points.front().ranks, 4);
    EXPECT_EQ(points.front().max, 50);
}

TEST(RankAggregate, NoRanksAndNoStepsAreNothing) {
    RankAggregate aggregate(kLoss);
    std::vector<AggregatePoint> points;
    aggregate.query({}, 0, 10, 100, points);
    EXPECT_TRUE(points.empty());
    aggregate.query(std::vector<MetricSeries>(3), 0, 10, 100, points);
    EXPECT_TRUE(points.empty());
}

}  // namespace
}  // namespace rankscope::gui
