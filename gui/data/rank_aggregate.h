// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_series.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::gui {

/// The values of the ranks at some steps: the extremes over all of them and all those steps, and the quantiles
/// over the ranks of each one's last value there.
struct AggregatePoint {
    double x = 0;
    float min = 0;
    float p10 = 0;
    float median = 0;
    float p90 = 0;
    float max = 0;
    int ranks = 0;  ///< how many had a value; 0: nothing here
};

/// Nearest-rank quantile; reorders `values`, which must not be empty.
float quantile(std::vector<float>& values, double q);

/// Many ranks drawn as a band. Buckets of 2^k steps are counted once, when every rank has passed them, and
/// kept: a frame costs what is new, whatever the number of ranks and steps.
class RankAggregate {
public:
    explicit RankAggregate(MetricId metric) : metric_(metric) {}

    /// At most about `buckets` points that cover the steps [x0, x1].
    void query(const std::vector<MetricSeries>& ranks, double x0, double x1, int buckets,
               std::vector<AggregatePoint>& out);
    /// Drops what was kept (another run, or a rank was rewound).
    void clear() { levels_.clear(); }

    /// One bucket, counted from the values: steps [begin, end).
    static AggregatePoint bucket(const std::vector<const MetricColumn*>& ranks, std::int64_t begin,
                                 std::int64_t end);
    /// The columns of the ranks that report this metric.
    static std::vector<const MetricColumn*> columns(const std::vector<MetricSeries>& ranks, MetricId metric);

private:
    MetricId metric_;
    std::size_t reporting_ = 0;  ///< ranks that the kept buckets were counted from
    std::map<int, std::map<std::int64_t, AggregatePoint>> levels_;  ///< k → bucket number → point
};

}  // namespace rankscope::gui
