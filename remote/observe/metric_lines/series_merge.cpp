// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/series_merge.h>

#include <algorithm>
#include <cmath>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMostNames = 10'000;
constexpr std::size_t kMostPoints = 512;
constexpr double kMostEpoch = 1e9;

// As lines are rounded: to two or more digits.
bool coincide(double printed, double exact) {
    return (std::isnan(printed) && std::isnan(exact)) || printed == exact ||
           std::abs(printed - exact) <= std::max(0.005, 0.01 * std::abs(exact));
}

}  // namespace

void SeriesMerge::take_lines(MetricsLine& line) {
    if (!line.step) {
        return;
    }
    const std::int64_t step = *line.step;
    last_line_step_ = std::max(last_line_step_, step);
    if (line.epoch && *line.epoch >= 0 && *line.epoch < kMostEpoch) {
        auto& last = epochs_[static_cast<std::int64_t>(std::ceil(*line.epoch))];
        last = std::max(last, step);
        if (epochs_.size() > kMostNames) {
            epochs_.erase(epochs_.begin());
        }
    }
    std::erase_if(line.values, [&](const auto& value) {
        const auto known = series_.find(value.first);
        if (known == series_.end() && series_.size() >= kMostNames) {
            return false;
        }
        Series& series = known == series_.end() ? series_[value.first] : known->second;
        // A line may count from 1 what the file counts from 0.
        if (series.in_file && (step <= series.last_file ||
                               (step == series.last_file + 1 && coincide(value.second, series.last_value)))) {
            return true;
        }
        ++series.count;
        series.last_line = step;
        series.lines.emplace_back(step, value.second);
        if (series.lines.size() > kMostPoints) {
            series.lines.pop_front();
        }
        return false;
    });
}

std::vector<SeriesMerge::FromFile> SeriesMerge::take_file(const MetricsLine& line) {
    if (!line.step) {
        return {{line}};
    }
    std::vector<FromFile> out;
    MetricsLine plain = line;
    std::erase_if(plain.values, [&](const auto& value) {
        const auto known = series_.find(value.first);
        if (known == series_.end() && series_.size() >= kMostNames) {
            return false;
        }
        Series& series = known == series_.end() ? series_[value.first] : known->second;
        const std::int64_t before = series.in_file && series.last_file < *line.step ? series.last_file : -1;
        const bool voids = series.last_line > before;
        series.last_file = *line.step;
        series.last_value = value.second;
        series.in_file = true;
        if (!voids) {
            return false;
        }
        series.last_line = -1;
        series.lines.clear();
        const auto same = std::find_if(out.begin(), out.end(),
                                       [before](const FromFile& one) { return one.voids_after == before; });
        FromFile& into = same == out.end() ? out.emplace_back(FromFile{line, before}) : *same;
        if (same == out.end()) {
            into.line.values.clear();
        }
        into.line.values.push_back(value);
        return true;
    });
    if (!plain.values.empty()) {
        out.push_back({std::move(plain)});
    }
    return out;
}

std::optional<std::int64_t> SeriesMerge::end_of_epoch(double epoch) const {
    const auto known = epoch >= 0 && epoch < kMostEpoch
                           ? epochs_.find(static_cast<std::int64_t>(std::ceil(epoch)))
                           : epochs_.end();
    return known == epochs_.end() ? std::nullopt : std::optional(known->second);
}

std::size_t SeriesMerge::count_of_lines(const std::string& name) const {
    const auto known = series_.find(name);
    return known == series_.end() ? 0 : known->second.count;
}

SeriesMerge::Relation SeriesMerge::relation(
    const std::string& name, const std::vector<std::pair<std::int64_t, double>>& points) const {
    const auto known = series_.find(name);
    if (known == series_.end() || known->second.lines.empty()) {
        return Relation::None;
    }
    // Lines may count from 1 what the file counts from 0.
    bool compared = false;
    for (const auto& [step, value] : points) {
        for (const auto& [printed_at, printed] : known->second.lines) {
            if (std::abs(printed_at - step) <= 1) {
                compared = true;
                if (coincide(printed, value)) {
                    return Relation::Same;
                }
            }
        }
    }
    return compared ? Relation::Different : Relation::Unknown;
}

}  // namespace rankscope::metric_lines
