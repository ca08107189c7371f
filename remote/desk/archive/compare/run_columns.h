// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline archive {

struct RunSummary;

enum class ColumnStat { Last, Best, Min, Max, Mean };

/// A column that the user adds to the list of runs: a statistic of a metric ("loss:best"), a key of the job
/// ("job:train.batch_size"), or something of the run ("run:verdict").
struct RunColumn {
    enum class Kind { Metric, Job, Run };
    Kind kind = Kind::Metric;
    std::string key;
    ColumnStat stat = ColumnStat::Last;

    bool operator==(const RunColumn&) const = default;
    /// As users write it, and as it is kept.
    std::string id() const;
};

/// The keys of Kind::Run: steps, exit_code, verdict, parent, code.
const std::vector<std::string>& run_column_keys();
const char* to_string(ColumnStat stat);
/// "loss" is "loss:last". Nothing for an empty name and for "run:" with another key.
std::optional<RunColumn> run_column(std::string_view id);

/// A cell: a text, and its number where it is one, so that numbers sort as numbers.
struct ColumnValue {
    std::string text;                                          ///< empty: the run has none
    double number = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no number
};
/// `summary` may be null: not computed yet.
ColumnValue column_value(const RunColumn& column, const RunRecord& run, const RunSummary* summary);
/// Numbers before texts, both before what is missing.
bool column_less(const ColumnValue& a, const ColumnValue& b);

/// Mean, and standard deviation of a sample, of the finite values.
struct Spread {
    std::size_t count = 0;
    double mean = std::numeric_limits<double>::quiet_NaN();
    double deviation = std::numeric_limits<double>::quiet_NaN();  ///< NaN: fewer than two values
};
Spread spread_of(const std::vector<double>& values);

}  // namespace rankscope::inline archive
