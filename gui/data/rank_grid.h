// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_series.h>
#include <gui/data/step_buckets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// One bucket of steps over all ranks.
struct GridColumn {
    AggregatePoint point;
    /// By rank: its last finite value there; NaN: none. Never changes: workers keep it.
    std::shared_ptr<const std::vector<float>> values;
    float spread = 0;            ///< what 99 % of the ranks keep from the median
    std::uint64_t revision = 0;  ///< of the grid when this was counted
    bool stale = false;
};

/// Buckets that cover a range of steps: [begin, end).
struct GridView {
    StepBuckets buckets;
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t first_step(std::int64_t bucket) const { return buckets.first_step(bucket); }
    bool empty() const { return begin >= end; }
    bool operator==(const GridView&) const = default;
};

/// What a worker counted, and how far each rank was when it did.
struct GridCount {
    StepBuckets buckets;
    std::map<std::int64_t, GridColumn> columns;
    std::vector<std::int64_t> seen;
};

/// Many ranks over steps, for a band and a heat map. A bucket is counted once and kept until a rank reports
/// something in it: a frame costs what is new, whatever the number of steps. Counting many buckets is for a worker.
class RankGrid {
public:
    /// At most about `buckets` of them for the steps [x0, x1], as far as any rank has reported; `log`: for a
    /// logarithmic axis.
    static GridView view(const std::vector<MetricSeries>& ranks, MetricId metric, double x0, double x1,
                         int buckets, bool log = false);

    /// Notes what the ranks have reported since the last time. Returns which buckets of the view are not counted, all
    /// of them where their width is another one than what is kept.
    std::vector<std::int64_t> missing(const std::vector<MetricSeries>& ranks, MetricId metric,
                                      const GridView& view);
    /// Counts these buckets; `read` is called with each slice of the work, and stops it by returning false.
    template <typename Read>
    static std::optional<GridCount> count(const std::vector<MetricSeries>& ranks, MetricId metric,
                                          const StepBuckets& width, const std::vector<std::int64_t>& buckets,
                                          Read read);
    void take(GridCount count, const GridView& view);

    /// missing(), count() and take() at once.
    void update(const std::vector<MetricSeries>& ranks, MetricId metric, const GridView& view);

    void clear();
    /// The width of the buckets that are kept; nothing while there are none.
    const std::optional<StepBuckets>& width() const { return width_; }
    const std::map<std::int64_t, GridColumn>& columns() const { return columns_; }
    /// Changes with the content.
    std::uint64_t revision() const { return revision_; }

private:
    /// A count in progress: values of all buckets, rank after rank.
    class Counter {
    public:
        Counter(const StepBuckets& width, const std::vector<std::int64_t>& buckets, std::size_t ranks);
        void add(const MetricColumn& column, std::size_t rank);
        GridCount finish();

    private:
        StepBuckets width_;
        const std::vector<std::int64_t>& buckets_;
        std::vector<std::vector<float>> values_;
        std::vector<MinMax> extremes_;
        std::vector<std::int64_t> seen_;
    };
    void note_progress(const std::vector<MetricSeries>& ranks, MetricId metric);
    void mark_stale(std::int64_t first, std::int64_t last);

    std::optional<StepBuckets> width_;
    std::map<std::int64_t, GridColumn> columns_;
    std::vector<std::int64_t> seen_;  ///< by rank: its last step when its columns were counted; -1: none
    std::uint64_t revision_ = 0;
};

template <typename Read>
std::optional<GridCount> RankGrid::count(const std::vector<MetricSeries>& ranks, MetricId metric,
                                         const StepBuckets& width, const std::vector<std::int64_t>& buckets,
                                         Read read) {
    constexpr std::size_t kSliceCells = 4000;  // about a millisecond
    const std::size_t slice =
        std::max<std::size_t>(kSliceCells / std::max<std::size_t>(buckets.size(), 1), 1);
    std::size_t size = 0;
    if (!read([&] { size = ranks.size(); })) {
        return {};
    }
    Counter counter(width, buckets, size);
    for (std::size_t begin = 0; begin < size; begin += slice) {
        const bool there = read([&] {
            for (std::size_t rank = begin; rank < std::min({begin + slice, size, ranks.size()}); ++rank) {
                counter.add(ranks[rank].column(metric), rank);
            }
        });
        if (!there) {
            return {};
        }
    }
    return counter.finish();
}

}  // namespace rankscope::gui
