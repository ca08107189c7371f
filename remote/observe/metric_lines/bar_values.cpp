// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/bar_values.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMostBars = 8;

// Ignite counts before the picture. Its bar begins at 1 and moves on after the values are drawn.
bool counts_before_picture(std::string_view line) {
    const auto picture = line.find("%|");
    const auto count = line.rfind(']', picture);
    return picture != std::string_view::npos && count != std::string_view::npos &&
           line.substr(count + 1, picture - count - 1).find_first_not_of(" 0123456789") ==
               std::string_view::npos;
}

std::optional<double>& bar_count(Reading& reading) {
    return reading.in_epoch ? reading.in_epoch : reading.step;
}

bool is_of_validation(const std::string& name) {
    return name.starts_with("val_") || name.starts_with("test_");
}

bool is_same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

bool BarValues::has(std::string_view line) {
    return line.find("%|") != std::string_view::npos || line.find("it [") != std::string_view::npos ||
           line.find("/? [") != std::string_view::npos;
}

// The values that have waited belong to the bar's count, but for those of a bar that has just begun, and of one whose count
// comes late and ends: both show the step before once more.
void BarValues::settle(Bar& bar, bool falls, std::vector<Reading>& out) {
    Reading waiting = std::exchange(bar.waiting, Reading());
    if (waiting.values.empty()) {
        return;
    }
    const auto total = waiting.per_epoch ? waiting.per_epoch : waiting.steps;
    const bool ends = total && bar.count >= *total;
    if (bar.count <= 0 || (bar.late && ends)) {
        return;
    }
    // A bar shows the last validation, and the last mean of an epoch, through all of the next epoch.
    std::erase_if(waiting.values, [&](const auto& value) {
        return (is_of_validation(value.first) || bar.carried.contains(value.first)) && !ends && !falls;
    });
    if (!waiting.values.empty()) {
        out.push_back(std::move(waiting));
    }
}

std::vector<Reading> BarValues::draw(std::string_view line, Reading reading) {
    std::vector<Reading> out;
    const double count = bar_count(reading).value_or(0);
    const double length = reading.per_epoch.value_or(reading.steps.value_or(0));
    auto known =
        std::find_if(bars_.begin(), bars_.end(), [&](const auto& entry) { return entry.first == length; });
    if (known == bars_.end()) {
        if (bars_.size() >= kMostBars) {
            bars_.erase(bars_.begin());
        }
        known = bars_.emplace(bars_.end(), length, Bar());
    }
    Bar& bar = known->second;
    const bool before_picture = counts_before_picture(line);
    const bool moved = count != bar.count || reading.epoch.value_or(-1) != bar.epoch;
    if (moved) {
        const double passed = count - bar.count;
        settle(bar, passed < 0, out);
        if (passed < 0) {
            for (const auto& [name, value] : bar.last) {
                bar.carried.insert(name);
            }
        }
        bar.each_step = !bar.late || passed <= 0 ? true : std::abs(passed - bar.drawn) <= 1;
        bar.leaps = bar.count <= 0 || passed <= 0 || passed > 1;
        bar.late = before_picture ? count > 1 : bar.late;
        bar.drawn = 0;
    }
    Reading unchanged = reading;
    unchanged.values.clear();
    std::erase_if(reading.values, [&](const auto& value) {
        const auto last = bar.last.find(value.first);
        const bool old = last != bar.last.end() && is_same_value(last->second, value.second);
        if (old) {
            unchanged.values.push_back(value);
        } else {
            bar.carried.erase(value.first);
        }
        bar.last.insert_or_assign(value.first, value.second);
        return old;
    });
    if (bar.last.size() > 100) {
        bar.last.clear();
        bar.carried.clear();
    }
    const bool fresh = !reading.values.empty();
    bar.late = bar.late || (fresh && (count == 0 || (before_picture && !moved)));
    bar.count = count;
    bar.epoch = reading.epoch.value_or(-1);
    if (bar.late && !before_picture) {
        // The first drawing of a count shows the move, with the value before.
        const bool again = !fresh && !bar.leaps && bar.drawn > 0;
        if (again || (moved && !fresh)) {
            return out;
        }
        bar.drawn += 1;
        const double step = count + bar.drawn;
        if ((bar.drawn > 1 && !bar.each_step) || (length > 0 && step > length)) {
            return out;
        }
        std::copy_if(unchanged.values.begin(), unchanged.values.end(), std::back_inserter(reading.values),
                     [&](const auto& value) { return !bar.carried.contains(value.first); });
        bar_count(reading) = step;
        out.push_back(std::move(reading));
        return out;
    }
    if (moved) {
        bar.waiting = unchanged;
    } else {
        std::erase_if(bar.waiting.values, [&](const auto& value) {
            return std::any_of(reading.values.begin(), reading.values.end(),
                               [&](const auto& other) { return other.first == value.first; });
        });
    }
    if (bar.late && (length <= 0 || count < length)) {
        bar_count(reading) = count + 1;
        if (!bar.waiting.values.empty()) {
            bar_count(bar.waiting) = count + 1;
        }
    }
    if (fresh) {
        out.push_back(std::move(reading));
    }
    return out;
}

std::vector<Reading> BarValues::rest() {
    std::vector<Reading> out;
    for (auto& [length, bar] : bars_) {
        settle(bar, false, out);
    }
    return out;
}

}  // namespace rankscope::metric_lines
