// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/archive/compare/comparison_text.h>
#include <remote/desk/archive/export/csv_cell.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunComparison";

template <typename Row>
void csv_row(std::string& out, const Row& cells) {
    bool first = true;
    for (const auto& cell : cells) {
        out += (first ? "" : ",") + csv_cell(cell);
        first = false;
    }
    out += "\r\n";
}

nlohmann::ordered_json json_of(const MetricStats& stats, const std::string& metric) {
    return {{"last", stats.last},
            {"best", stats.best(metric)},
            {"best_step", stats.best_step(metric)},
            {"min", stats.min},
            {"max", stats.max},
            {"mean", stats.mean},
            {"n", stats.count},
            {"not_finite", stats.not_finite}};
}

nlohmann::ordered_json json_of(const Spread& spread) {
    return {{"n", spread.count}, {"mean", spread.mean}, {"deviation", spread.deviation}};
}

}  // namespace

nlohmann::ordered_json comparison_json(const RunComparison& comparison, bool all) {
    using Json = nlohmann::ordered_json;
    Json runs = Json::array();
    for (const auto& run : comparison.runs) {
        runs.push_back({{"run", run.record.run_id},
                        {"name", run.record.name},
                        {"group", run.group()},
                        {"parent", run.record.parent},
                        {"outcome", to_string(run.record.outcome)}});
    }
    Json values = Json::array();
    for (const auto& row : comparison.values) {
        if (all || row.differs) {
            values.push_back({{"section", to_string(row.section)},
                              {"key", row.key},
                              {"differs", row.differs},
                              {"values", row.values}});
        }
    }
    Json metrics = Json::array();
    for (const auto& metric : comparison.metrics) {
        Json stats = Json::array();
        for (const auto& of_run : metric.stats) {
            stats.push_back(json_of(of_run, metric.name));
        }
        Json groups = Json::array();
        for (const auto& group : metric.groups) {
            groups.push_back(
                {{"group", group.name}, {"last", json_of(group.last)}, {"best", json_of(group.best)}});
        }
        metrics.push_back({{"name", metric.name}, {"runs", stats}, {"groups", groups}});
        if (!metric.time_to_target.empty()) {
            metrics.back()["target"] = comparison.target->value;
            metrics.back()["seconds_to_target"] = metric.time_to_target;
        }
    }
    Json problems = Json::array();
    for (const auto& problem : comparison.problems) {
        problems.push_back(to_line(problem));
    }
    return {{"runs", runs}, {"values", values}, {"metrics", metrics}, {"problems", problems}};
}

std::vector<StatRow> stat_rows(const RunComparison& comparison) {
    std::vector<StatRow> rows;
    for (const auto& metric : comparison.metrics) {
        const auto add = [&](const std::string& stat, auto of, StatRow::Kind kind = StatRow::Kind::Value) {
            StatRow row{metric.name, stat, kind, {}};
            std::transform(metric.stats.begin(), metric.stats.end(), std::back_inserter(row.values), of);
            if (std::any_of(row.values.begin(), row.values.end(),
                            [](double value) { return std::isfinite(value); })) {
                rows.push_back(std::move(row));
            }
        };
        const auto step = [](double value) {
            return value >= 0 ? value : std::numeric_limits<double>::quiet_NaN();
        };
        add(text(kContext, "last"), [](const MetricStats& stats) { return stats.last; });
        add(text(kContext, "best"), [&](const MetricStats& stats) { return stats.best(metric.name); });
        add(
            text(kContext, "step of best"),
            [&](const MetricStats& stats) { return step(stats.best_step(metric.name)); },
            StatRow::Kind::Count);
        add(text(kContext, "mean"), [](const MetricStats& stats) { return stats.mean; });
        add(
            text(kContext, "reports"),
            [](const MetricStats& stats) {
                return stats.count > 0 ? static_cast<double>(stats.count)
                                       : std::numeric_limits<double>::quiet_NaN();
            },
            StatRow::Kind::Count);
        if (!metric.time_to_target.empty()) {
            rows.push_back({metric.name,
                            text(kContext, "seconds to %1", {short_number_text(comparison.target->value, 6)}),
                            StatRow::Kind::Seconds, metric.time_to_target});
        }
    }
    return rows;
}

std::string comparison_csv(const RunComparison& comparison, bool all) {
    std::string out;
    std::vector<std::string> header{"section", "key"};
    for (const auto& run : comparison.runs) {
        header.push_back(run.record.run_id);
    }
    csv_row(out, header);
    for (const auto& row : comparison.values) {
        if (all || row.differs) {
            std::vector<std::string> cells{to_string(row.section), row.key};
            cells.insert(cells.end(), row.values.begin(), row.values.end());
            csv_row(out, cells);
        }
    }
    for (const auto& row : stat_rows(comparison)) {
        std::vector<std::string> cells{"metric", row.metric + " " + row.stat};
        for (const double value : row.values) {
            cells.push_back(std::isfinite(value) ? number_text(value) : "");
        }
        csv_row(out, cells);
    }
    return out;
}

}  // namespace rankscope::inline archive
