// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/metric_summary.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "metrics";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostSpans = 4;  ///< more would not fit a line

void add(MetricSummary& summary, const RankState& rank, double value) {
    if (summary.ranks.empty()) {
        summary.last = value;
    }
    summary.ranks.push_back(rank.rank);
    if (!std::isfinite(value)) {
        ++summary.not_finite;
        return;
    }
    const bool first = std::isnan(summary.min);
    summary.min = first ? value : std::min(summary.min, value);
    summary.max = first ? value : std::max(summary.max, value);
    summary.mean = first ? value : summary.mean + value;  // the sum until all are in
}

}  // namespace

std::vector<MetricSummary> summarize_metrics(const RunState& state) {
    std::vector<MetricSummary> all;
    for (std::size_t i = 0; i < state.metrics.size(); ++i) {
        MetricSummary summary{state.metrics.all()[i], {}, kNan, kNan, kNan, kNan, 0};
        for (const RankState& rank : state.ranks) {
            if (i < rank.last.size() && rank.last[i]) {
                add(summary, rank, *rank.last[i]);
            }
        }
        if (summary.ranks.empty()) {
            continue;
        }
        const std::size_t finite = summary.ranks.size() - summary.not_finite;
        summary.mean /= finite > 0 ? static_cast<double>(finite) : 1;
        all.push_back(std::move(summary));
    }
    return all;
}

std::string ranks_text(const std::vector<int>& ranks, std::size_t count) {
    if (ranks.size() == count && count > 1) {
        return text(kContext, "all ranks");
    }
    std::string spans;
    std::size_t written = 0;
    for (std::size_t i = 0; i < ranks.size(); ++written) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
            ++end;
        }
        if (written == kMostSpans) {
            return text(kContext, "%1 of %2 ranks", {std::to_string(ranks.size()), std::to_string(count)});
        }
        spans += (spans.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (end - i > 1) {
            spans += (end - i == 2 ? ", " : "–") + std::to_string(ranks[end - 1]);
        }
        i = end;
    }
    return ranks.size() == 1 ? text(kContext, "rank %1", {spans}) : text(kContext, "ranks %1", {spans});
}

}  // namespace rankscope::inline runs
