// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/number_text.h>
#include <remote/desk/archive/compare/run_columns.h>
#include <remote/desk/archive/compare/run_summary.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::inline archive {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kJob = "job:";
constexpr std::string_view kRun = "run:";
constexpr std::array kStats{ColumnStat::Last, ColumnStat::Best, ColumnStat::Min, ColumnStat::Max,
                            ColumnStat::Mean};

double stat_of(const MetricStats& stats, const std::string& name, ColumnStat stat) {
    switch (stat) {
        case ColumnStat::Best:
            return stats.best(name);
        case ColumnStat::Min:
            return stats.min;
        case ColumnStat::Max:
            return stats.max;
        case ColumnStat::Mean:
            return stats.mean;
        case ColumnStat::Last:
            break;
    }
    return stats.last;
}

ColumnValue of_number(double number) {
    return std::isfinite(number) ? ColumnValue{short_number_text(number, 6), number} : ColumnValue{};
}

ColumnValue of_text(const std::string& text) {
    return {text, config::to_number(text).value_or(kNan)};
}

}  // namespace

const char* to_string(ColumnStat stat) {
    constexpr std::array names{"last", "best", "min", "max", "mean"};
    return names[static_cast<std::size_t>(stat)];
}

const std::vector<std::string>& run_column_keys() {
    static const std::vector<std::string> keys{"steps", "exit_code", "verdict", "parent", "code"};
    return keys;
}

std::string RunColumn::id() const {
    switch (kind) {
        case Kind::Job:
            return std::string(kJob) + key;
        case Kind::Run:
            return std::string(kRun) + key;
        case Kind::Metric:
            break;
    }
    return key + ":" + to_string(stat);
}

std::optional<RunColumn> run_column(std::string_view id) {
    if (id.starts_with(kJob)) {
        const std::string key(id.substr(kJob.size()));
        return key.empty() ? std::nullopt : std::optional(RunColumn{RunColumn::Kind::Job, key});
    }
    if (id.starts_with(kRun)) {
        const std::string key(id.substr(kRun.size()));
        const auto& keys = run_column_keys();
        return std::find(keys.begin(), keys.end(), key) == keys.end()
                   ? std::nullopt
                   : std::optional(RunColumn{RunColumn::Kind::Run, key});
    }
    const std::size_t colon = id.rfind(':');
    if (colon != std::string_view::npos) {
        for (const ColumnStat stat : kStats) {
            if (id.substr(colon + 1) == to_string(stat) && colon > 0) {
                return RunColumn{RunColumn::Kind::Metric, std::string(id.substr(0, colon)), stat};
            }
        }
    }
    return id.empty() ? std::nullopt : std::optional(RunColumn{RunColumn::Kind::Metric, std::string(id)});
}

ColumnValue column_value(const RunColumn& column, const RunRecord& run, const RunSummary* summary) {
    if (column.kind == RunColumn::Kind::Run && column.key == "exit_code") {
        return run.outcome == Outcome::Running ? ColumnValue{} : of_number(run.exit_code);
    }
    if (column.kind == RunColumn::Kind::Run && column.key == "parent") {
        return {run.parent, kNan};
    }
    if (summary == nullptr) {
        return {};
    }
    switch (column.kind) {
        case RunColumn::Kind::Job: {
            const auto found = summary->job.find(column.key);
            return found == summary->job.end() ? ColumnValue{} : of_text(found->second);
        }
        case RunColumn::Kind::Run:
            return column.key == "verdict"   ? ColumnValue{summary->verdict, kNan}
                   : column.key == "code"    ? ColumnValue{summary->code, kNan}
                   : summary->last_step >= 0 ? of_number(summary->last_step)
                                             : ColumnValue{};
        case RunColumn::Kind::Metric:
            break;
    }
    const MetricStats* stats = summary->metric(column.key);
    return stats == nullptr ? ColumnValue{} : of_number(stat_of(*stats, column.key, column.stat));
}

bool column_less(const ColumnValue& a, const ColumnValue& b) {
    if (a.text.empty() || b.text.empty()) {
        return !a.text.empty() && b.text.empty();
    }
    const bool a_number = !std::isnan(a.number);
    const bool b_number = !std::isnan(b.number);
    if (a_number && b_number) {
        return a.number < b.number;
    }
    return a_number != b_number ? a_number : a.text < b.text;
}

Spread spread_of(const std::vector<double>& values) {
    Spread spread;
    double sum = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++spread.count;
        }
    }
    if (spread.count == 0) {
        return spread;
    }
    spread.mean = sum / static_cast<double>(spread.count);
    double squares = 0;
    for (const double value : values) {
        squares += std::isfinite(value) ? (value - spread.mean) * (value - spread.mean) : 0;
    }
    if (spread.count > 1) {
        spread.deviation = std::sqrt(squares / static_cast<double>(spread.count - 1));
    }
    return spread;
}

}  // namespace rankscope::inline archive
