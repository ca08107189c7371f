// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_aggregate.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

float quantile(std::vector<float>& values, double q) {
    const auto n = std::ptrdiff_t(double(values.size() - 1) * q + 0.5);
    std::nth_element(values.begin(), values.begin() + n, values.end());
    return values[std::size_t(n)];
}

std::vector<const MetricColumn*> RankAggregate::columns(const std::vector<MetricSeries>& ranks,
                                                        MetricId metric) {
    std::vector<const MetricColumn*> all;
    all.reserve(ranks.size());
    for (const MetricSeries& rank : ranks) {
        if (const MetricColumn& column = rank.column(metric); !column.empty()) {
            all.push_back(&column);
        }
    }
    return all;
}

AggregatePoint RankAggregate::bucket(const std::vector<const MetricColumn*>& ranks, std::int64_t begin,
                                     std::int64_t end) {
    thread_local std::vector<float> last;  // one allocation for all frames
    last.clear();
    MinMax extremes;
    for (const MetricColumn* rank : ranks) {
        const std::size_t from = rank->steps().lower_bound(double(begin));
        const std::size_t to = rank->steps().lower_bound(double(end));
        if (from == to) {
            continue;
        }
        const float value = rank->values().last_finite(from, to);
        if (std::isfinite(value)) {
            extremes.add(to - from == 1 ? MinMax{value, value} : rank->values().range(from, to));
            last.push_back(value);
        }
    }
    AggregatePoint point;
    point.x = double(begin + end - 1) / 2;
    point.ranks = int(last.size());
    if (!last.empty()) {
        point.min = extremes.min;
        point.max = extremes.max;
        point.median = quantile(last, 0.5);
        point.p10 = quantile(last, 0.1);
        point.p90 = quantile(last, 0.9);
    }
    return point;
}

void RankAggregate::query(const std::vector<MetricSeries>& ranks, double x0, double x1, int buckets,
                          std::vector<AggregatePoint>& out) {
    out.clear();
    const std::vector<const MetricColumn*> reporting = columns(ranks, metric_);
    if (reporting.size() != reporting_) {
        reporting_ = reporting.size();
        levels_.clear();
    }
    std::int64_t slowest = INT64_MAX;
    std::int64_t fastest = -1;
    std::int64_t first = INT64_MAX;
    for (const MetricColumn* rank : reporting) {
        slowest = std::min(slowest, rank->steps().last());
        fastest = std::max(fastest, rank->steps().last());
        first = std::min(first, rank->steps().at(0));
    }
    const double low = std::max(x0, double(first));
    const double high = std::min(x1, double(fastest));
    if (fastest < 0 || !(low <= high) || buckets <= 0) {
        return;
    }
    int level = 0;
    while ((high - low) / double(std::int64_t(1) << level) > buckets) {
        ++level;
    }
    const std::int64_t size = std::int64_t(1) << level;
    auto& kept = levels_[level];
    const auto begin_bucket = std::int64_t(std::floor(low / double(size)));
    const auto end_bucket = std::int64_t(std::floor(high / double(size))) + 1;
    for (std::int64_t b = begin_bucket; b < end_bucket; ++b) {
        const auto found = kept.find(b);
        if (found != kept.end()) {
            out.push_back(found->second);
            continue;
        }
        const AggregatePoint point = bucket(reporting, b * size, (b + 1) * size);
        if ((b + 1) * size <= slowest) {
            kept.emplace(b, point);
        }
        if (point.ranks > 0) {
            out.push_back(point);
        }
    }
    std::erase_if(out, [](const AggregatePoint& point) { return point.ranks == 0; });
}

}  // namespace rankscope::gui
