// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_means.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr std::size_t kSlice = 4096;  ///< values that are read while the gate is held

struct Sum {
    double sum = 0;
    std::size_t count = 0;

    double mean() const { return count > 0 ? sum / double(count) : std::numeric_limits<double>::quiet_NaN(); }
};

/// Reads values until `end` or the end of the slice; true: it is through. The column may have become shorter.
bool add_slice(const MetricColumn& column, const RankMeansRequest& request, std::size_t& at, bool& begun,
               std::size_t& room, Sum& sum) {
    if (!begun) {
        at = column.steps().lower_bound(request.first);
        begun = true;
    }
    const std::size_t end = std::min(column.steps().lower_bound(request.last + 0.5), column.size());
    for (; at < end && room > 0; ++at, --room) {
        if (const float value = column.at(at); std::isfinite(value)) {
            sum.sum += double(value);
            ++sum.count;
        }
    }
    return at >= end;
}

}  // namespace

std::optional<RankMeans> rank_means(const RankMeansRequest& request) {
    RankMeans means{request.metrics, {}};
    for (const MetricId metric : request.metrics) {
        std::vector<double>& of_metric = means.of.emplace_back();
        std::size_t ranks = 1;
        std::size_t rank = 0;
        std::size_t at = 0;
        bool begun = false;
        Sum sum;
        while (rank < ranks) {
            const bool there = request.gate->read(request.generation, [&] {
                ranks = request.series->size();
                // Empty columns cost time as well.
                std::size_t room = kSlice;
                while (rank < ranks && room > 0) {
                    const MetricColumn& column = (*request.series)[rank].column(metric);
                    if (!add_slice(column, request, at, begun, room, sum)) {
                        return;
                    }
                    of_metric.push_back(sum.mean());
                    sum = {};
                    begun = false;
                    ++rank;
                    room -= std::min<std::size_t>(room, 16);
                }
            });
            if (!there) {
                return {};
            }
        }
    }
    return means;
}

}  // namespace rankscope::gui
