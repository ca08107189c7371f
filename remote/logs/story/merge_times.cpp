// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/story/merge_times.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
constexpr double kDay = 86400;
constexpr std::int64_t kDayUs = 86'400'000'000;
constexpr double kMicro = 1e6;
constexpr double kFarthest_s = 4e11;  // the year 14645: as microseconds far below the largest number

}  // namespace

void MergeTimes::begin(std::string_view name, std::int64_t modified_s) {
    parser_.begin(name, modified_s);
    modified_s_ = modified_s;
    times_.clear();
    day_ = 0;
    day_is_known_ = false;
    last_of_day_s_ = -1;
}

void MergeTimes::shift(std::int64_t days) {
    for (std::int64_t& time : times_) {
        time += time == kNone ? 0 : days * kDayUs;
    }
    day_ += days;
}

void MergeTimes::add(const RawLine& raw) {
    const LogLine line = parser_.parse(raw);
    const bool too_late =
        !line.time_of_day_only && modified_s_ > 0 && line.time > static_cast<double>(modified_s_) + kDay;
    if (!std::isfinite(line.time) || std::fabs(line.time) > kFarthest_s || too_late) {
        times_.push_back(kNone);
        return;
    }
    double time = line.time;
    if (line.time_of_day_only) {
        // Past midnight; less is a line that came late.
        day_ += last_of_day_s_ >= 0 && line.time + kDay / 2 < last_of_day_s_ ? 1 : 0;
        last_of_day_s_ = line.time;
        time += static_cast<double>(day_) * kDay;
    } else {
        const auto day = static_cast<std::int64_t>(std::floor(line.time / kDay));
        last_of_day_s_ = line.time - static_cast<double>(day) * kDay;
        if (!day_is_known_) {
            shift(day - day_);
            day_is_known_ = true;
        }
        day_ = day;
    }
    time -= clocks_.ahead_of(line.origin(), line.rank);
    times_.push_back(std::llround(time * kMicro));
}

std::vector<std::int64_t> MergeTimes::take() {
    if (!day_is_known_ && modified_s_ > 0) {
        shift(static_cast<std::int64_t>(std::floor(static_cast<double>(modified_s_) / kDay)) - day_);
    }
    const auto first =
        std::find_if(times_.begin(), times_.end(), [](std::int64_t time) { return time != kNone; });
    // 0 is a file without times: what began then, began a microsecond later.
    std::int64_t last = first == times_.end() ? 0 : std::max<std::int64_t>(*first, 1);
    for (std::int64_t& time : times_) {
        without_time_ += time == kNone ? 1 : 0;
        time = last = std::max(last, time);
    }
    return std::exchange(times_, {});
}

void merge_by_time(const std::vector<std::int64_t>& times, const std::vector<std::size_t>& begins,
                   const std::function<bool(std::size_t file, std::size_t line)>& sink) {
    using Head = std::pair<std::int64_t, std::size_t>;  // time, file
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    std::vector<std::size_t> next = begins;
    const auto push = [&](std::size_t file) {
        if (next[file] < (file + 1 < begins.size() ? begins[file + 1] : times.size())) {
            heads.emplace(times[next[file]], file);
        }
    };
    for (std::size_t file = 0; file < begins.size(); ++file) {
        push(file);
    }
    while (!heads.empty()) {
        const std::size_t file = heads.top().second;
        heads.pop();
        if (!sink(file, next[file]++)) {
            return;
        }
        push(file);
    }
}

}  // namespace rankscope::logs
