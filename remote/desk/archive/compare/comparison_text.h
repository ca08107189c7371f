// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_comparison.h>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace rankscope::inline archive {

/// The whole comparison without its curves; `all`: also values that do not differ. NaN is null.
nlohmann::ordered_json comparison_json(const RunComparison& comparison, bool all);
/// One row for each value and each statistic, one column for each run (RFC 4180).
std::string comparison_csv(const RunComparison& comparison, bool all);

/// The statistics of a metric as rows of texts, for tables: "last", "best", "step of best", "mean", "reports", and
/// where there is a target the time to it. Rows without any value are left out.
struct StatRow {
    enum class Kind { Value, Count, Seconds };
    std::string metric;
    std::string stat;  ///< in the user's language
    Kind kind = Kind::Value;
    std::vector<double> values;
};
std::vector<StatRow> stat_rows(const RunComparison& comparison);

}  // namespace rankscope::inline archive
