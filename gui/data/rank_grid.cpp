// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_grid.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kKeptViews = 3;  ///< buckets beside those in view are kept up to so many times as many

GridColumn summarize(std::vector<float> of_ranks, const MinMax& extremes, double x) {
    thread_local std::vector<float> values;  // one allocation for all frames
    values.clear();
    for (const float value : of_ranks) {
        if (std::isfinite(value)) {
            values.push_back(value);
        }
    }
    GridColumn column;
    column.values = std::make_shared<const std::vector<float>>(std::move(of_ranks));
    AggregatePoint& point = column.point;
    point.x = x;
    point.ranks = int(values.size());
    if (values.empty()) {
        return column;
    }
    point.min = extremes.min;
    point.max = extremes.max;
    point.median = quantile(values, 0.5);
    point.p10 = quantile(values, 0.1);
    point.p90 = quantile(values, 0.9);
    for (float& value : values) {
        value = std::abs(value - point.median);
    }
    column.spread = quantile(values, 0.99);
    return column;
}

}  // namespace

float quantile(std::vector<float>& values, double q) {
    const auto n = std::ptrdiff_t(double(values.size() - 1) * q + 0.5);
    std::nth_element(values.begin(), values.begin() + n, values.end());
    return values[std::size_t(n)];
}

GridView RankGrid::view(const std::vector<MetricSeries>& ranks, MetricId metric, double x0, double x1,
                        int buckets, bool log) {
    std::int64_t fastest = -1;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const MetricSeries& rank : ranks) {
        if (const MetricColumn& column = rank.column(metric); !column.empty()) {
            fastest = std::max(fastest, column.steps().last());
            first = std::min(first, column.steps().at(0));
        }
    }
    const double low = std::max(x0, double(first));
    const double high = std::min(x1, double(fastest));
    if (fastest < 0 || !(low <= high) || buckets <= 0) {
        return {};
    }
    const StepBuckets width =
        log ? StepBuckets::of_ratio(low, high, buckets) : StepBuckets::equal(low, high, buckets);
    return {width, width.bucket_of(low), width.bucket_of(high) + 1};
}

RankGrid::Counter::Counter(const StepBuckets& width, const std::vector<std::int64_t>& buckets,
                           std::size_t ranks)
    : width_(width),
      buckets_(buckets),
      values_(buckets.size(), std::vector<float>(ranks, kNone)),
      extremes_(buckets.size()),
      seen_(ranks, -1) {}

void RankGrid::Counter::add(const MetricColumn& column, std::size_t rank) {
    if (column.empty()) {
        return;
    }
    seen_[rank] = column.steps().last();
    std::size_t to = 0;
    std::int64_t end = -1;  // of the bucket before, whose end is this one's begin
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const std::int64_t bucket = buckets_[i];
        const std::size_t from =
            bucket == end ? to : column.steps().lower_bound(double(width_.first_step(bucket)));
        to = column.steps().lower_bound(double(width_.first_step(bucket + 1)));
        end = bucket + 1;
        if (from == to) {
            continue;
        }
        const float value = column.values().last_finite(from, to);
        if (std::isfinite(value)) {
            extremes_[i].add(to - from == 1 ? MinMax{value, value} : column.values().range(from, to));
            values_[i][rank] = value;
        }
    }
}

GridCount RankGrid::Counter::finish() {
    GridCount count;
    count.buckets = width_;
    count.seen = std::move(seen_);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const double middle =
            (double(width_.first_step(buckets_[i])) + double(width_.first_step(buckets_[i] + 1) - 1)) / 2;
        count.columns.emplace(buckets_[i], summarize(std::move(values_[i]), extremes_[i], middle));
    }
    return count;
}

void RankGrid::mark_stale(std::int64_t first, std::int64_t last) {
    if (!width_) {
        return;
    }
    const std::int64_t end = width_->bucket_of(double(last));
    for (auto at = columns_.lower_bound(width_->bucket_of(double(first)));
         at != columns_.end() && at->first <= end; ++at) {
        at->second.stale = true;
    }
}

void RankGrid::note_progress(const std::vector<MetricSeries>& ranks, MetricId metric) {
    seen_.resize(ranks.size(), -1);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const MetricColumn& column = ranks[rank].column(metric);
        const std::int64_t last = column.empty() ? -1 : column.steps().last();
        std::int64_t& seen = seen_[rank];
        if (last == seen) {
            continue;
        }
        if (last < seen) {  // it returned to an earlier step
            mark_stale(column.empty() ? 0 : last, seen);
        } else {
            mark_stale(seen < 0 ? column.steps().at(0) : seen, last);
        }
        seen = last;
    }
}

std::vector<std::int64_t> RankGrid::missing(const std::vector<MetricSeries>& ranks, MetricId metric,
                                            const GridView& view) {
    std::vector<std::int64_t> buckets;
    if (view.empty()) {
        return buckets;
    }
    const bool other = width_ != view.buckets;
    if (!other) {
        note_progress(ranks, metric);
    }
    auto at = columns_.lower_bound(view.begin);
    for (std::int64_t bucket = view.begin; bucket < view.end; ++bucket) {
        if (!other && at != columns_.end() && at->first == bucket) {
            if (at->second.stale) {
                buckets.push_back(bucket);
            }
            ++at;
        } else {
            buckets.push_back(bucket);
        }
    }
    return buckets;
}

void RankGrid::take(GridCount count, const GridView& view) {
    ++revision_;
    for (auto& [bucket, column] : count.columns) {
        column.revision = revision_;
    }
    if (width_ != count.buckets) {
        width_ = count.buckets;
        columns_ = std::move(count.columns);
        seen_ = std::move(count.seen);
        return;
    }
    seen_.resize(std::max(seen_.size(), count.seen.size()), -1);
    for (std::size_t rank = 0; rank < count.seen.size(); ++rank) {
        // Columns that were not counted now are as old as before.
        seen_[rank] = std::min(seen_[rank], count.seen[rank]);
    }
    for (auto& [bucket, column] : count.columns) {
        columns_.insert_or_assign(bucket, std::move(column));
    }
    const auto wanted = std::size_t(std::max<std::int64_t>(view.end - view.begin, 1));
    if (columns_.size() > kKeptViews * wanted) {
        std::erase_if(columns_,
                      [&](const auto& entry) { return entry.first < view.begin || entry.first >= view.end; });
    }
}

void RankGrid::update(const std::vector<MetricSeries>& ranks, MetricId metric, const GridView& view) {
    const std::vector<std::int64_t> buckets = missing(ranks, metric, view);
    if (buckets.empty()) {
        return;
    }
    if (auto counted = count(ranks, metric, view.buckets, buckets, [](auto slice) {
            slice();
            return true;
        })) {
        take(std::move(*counted), view);
    }
}

void RankGrid::clear() {
    width_.reset();
    columns_.clear();
    seen_.clear();
    ++revision_;
}

}  // namespace rankscope::gui
