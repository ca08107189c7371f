// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/metric_names.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace rankscope::inline archive {

/// A curve of a report: mean and range in equal pieces of its axis.
struct BinnedCurve {
    struct Point {
        double x = 0;
        double mean = 0;
        double least = 0;
        double most = 0;
    };
    int rank = -1;  ///< -1: of all ranks
    std::vector<Point> points;
};

struct BinnedMetric {
    std::string name;
    bool by_step = true;              ///< its axis is the step; else seconds since the start
    std::vector<BinnedCurve> curves;  ///< one for each rank, or one of all where there are many
    std::size_t not_finite = 0;       ///< values that are not drawn
};

/// The metrics of a run in bounded memory: all events twice, first for the axes, then for the values.
class CurveBins {
public:
    /// Curves of up to so many ranks are kept apart.
    static constexpr int kMostCurves = 16;
    static constexpr std::size_t kBins = 600;
    static constexpr std::size_t kMostMetrics = 48;
    static constexpr std::size_t kMostCounted = 100'000;

    CurveBins(std::int64_t started_us, int world_size) : started_us_(started_us), world_size_(world_size) {}

    void measure(const Event& event);
    void take(const Event& event);
    /// In the order of first report, totals left out.
    std::vector<BinnedMetric> metrics() const;
    /// Metrics beyond kMostMetrics, counted up to kMostCounted.
    std::size_t further() const { return further_.size(); }

private:
    struct Bin {
        double x = 0;
        double sum = 0;
        double least = 0;
        double most = 0;
        std::uint64_t count = 0;
    };
    struct Axis {
        double first_step = 0, last_step = -1;  ///< last < first: no steps
        double first_s = 0, last_s = -1;
        std::size_t not_finite = 0;
        std::map<int, std::vector<Bin>> bins;  ///< by rank
    };
    Axis* axis_of(const std::string& name);
    double seconds(const Event& event) const;

    const std::int64_t started_us_;
    const int world_size_;
    MetricNames names_;
    std::vector<Axis> axes_;
    std::unordered_set<std::string> further_;
};

}  // namespace rankscope::inline archive
