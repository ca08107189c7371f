// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/archive/compare/run_groups.h>

#include <algorithm>
#include <cmath>

namespace rankscope::inline archive {
namespace {

/// Two digits, or all before the point: 170, not 1.7e+02.
std::string deviation_text(double deviation) {
    constexpr int kUsual = 2;
    constexpr int kMost = 6;
    const int whole = std::isfinite(deviation) && deviation >= 1
                          ? static_cast<int>(std::floor(std::log10(deviation))) + 1
                          : 0;
    return short_number_text(deviation, whole > kMost ? kUsual : std::max(kUsual, whole));
}

}  // namespace

std::string RunGrouping::id() const {
    switch (by) {
        case By::Tag:
            return "tag";
        case By::Group:
            return "group";
        case By::Name:
            return "name";
        case By::Column:
            break;
    }
    return column.id();
}

std::vector<std::string> RunGrouping::groups_of(const RunRecord& run, const RunLabels& labels,
                                                const RunSummary* summary) const {
    switch (by) {
        case By::Tag:
            return labels.tags.empty() ? std::vector<std::string>{""} : labels.tags;
        case By::Group:
            return {labels.group};
        case By::Name:
            return {run.name};
        case By::Column:
            break;
    }
    return {column_value(column, run, summary).text};
}

std::optional<RunGrouping> run_grouping(std::string_view id) {
    using By = RunGrouping::By;
    for (const By by : {By::Tag, By::Group, By::Name}) {
        if (id == RunGrouping{by}.id()) {
            return RunGrouping{by};
        }
    }
    const auto column = run_column(id);
    return column ? std::optional(RunGrouping{By::Column, *column}) : std::nullopt;
}

std::string to_text(const Spread& spread) {
    if (spread.count == 0) {
        return {};
    }
    const std::string mean = short_number_text(spread.mean);
    return spread.count == 1 ? mean : mean + " ± " + deviation_text(spread.deviation);
}

}  // namespace rankscope::inline archive
