// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/ctl/stored_lines.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <map>
#include <utility>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "StoredLines";
constexpr std::int64_t kLateUs = 60'000'000;
constexpr std::size_t kMostBytes = std::size_t(64) << 20;  ///< that wait for earlier ones

/// Output that waits until nothing earlier is expected.
class TimeOrder {
public:
    explicit TimeOrder(const std::function<bool(const StoredLine&)>& sink) : sink_(sink) {}

    bool take(const Event& event) {
        const auto& log = std::get<LogEvent>(event.body);
        newest_us_ = std::max(newest_us_, event.t_us);
        bytes_ += log.text.size();
        waiting_.emplace(event.t_us, event);
        while (!waiting_.empty() && (waiting_.begin()->first < newest_us_ - kLateUs || bytes_ > kMostBytes)) {
            if (!give_first()) {
                return false;
            }
        }
        return true;
    }
    void finish() {
        while (!waiting_.empty() && give_first()) {
        }
    }

private:
    bool give_first() {
        const Event event = std::move(waiting_.begin()->second);
        waiting_.erase(waiting_.begin());
        const auto& log = std::get<LogEvent>(event.body);
        bytes_ -= log.text.size();
        StoredLine line{event.t_us, event.rank, event.node, log.is_stderr, {}, log.dropped_bytes};
        std::string_view rest = log.text;
        do {
            const auto end = std::min(rest.find('\n'), rest.size());
            line.text = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (!sink_(line)) {
                waiting_.clear();
                return false;
            }
            line.dropped_bytes = 0;
        } while (!rest.empty());
        return true;
    }

    const std::function<bool(const StoredLine&)>& sink_;
    std::multimap<std::int64_t, Event> waiting_;  // those of one time in the order of their arrival
    std::int64_t newest_us_ = std::numeric_limits<std::int64_t>::min() + kLateUs;
    std::size_t bytes_ = 0;
};

std::optional<std::int64_t> duration_us(const std::string& word) {
    double count = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    const std::string unit(rest, word.data() + word.size());
    constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
        {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
    const auto known =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& one) { return one.first == unit; });
    constexpr double kMost = 1e9;  // seconds
    if (error != std::errc() || known == kUnits.end() || !(count >= 0) || count * known->second > kMost) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(count * known->second * 1e6);
}

}  // namespace

Result<void> replay_lines(const RunStore& store, const std::string& run_id, const LineFilter& filter,
                          const std::function<bool(const StoredLine&)>& sink) {
    TimeOrder order(sink);
    bool wanted = true;
    const auto replayed = store.replay(run_id, [&](const Event& event) {
        if (event.as<LogEvent>() == nullptr || event.rank < 0 || event.t_us < filter.since_us ||
            (!filter.node.empty() && event.node != filter.node) ||
            (!filter.ranks.empty() && !filter.ranks.contains(event.rank))) {
            return true;
        }
        wanted = order.take(event);
        return wanted;
    });
    if (wanted) {
        order.finish();
    }
    return replayed;
}

std::optional<std::int64_t> moment_of(const std::string& word, std::int64_t end_us) {
    if (const auto before = duration_us(word)) {
        return end_us - *before;
    }
    for (const char* format :
         {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
        std::tm parts{};
        parts.tm_isdst = -1;
        const char* end = ::strptime(word.c_str(), format, &parts);
        if (end != nullptr && *end == '\0') {
            return static_cast<std::int64_t>(std::mktime(&parts)) * 1'000'000;
        }
    }
    return std::nullopt;
}

Result<std::int64_t> moment_of(const std::string& option, const std::string& word, const RunRecord& run) {
    if (const auto moment = moment_of(word, run.ended_us != 0 ? run.ended_us : now_us())) {
        return *moment;
    }
    return Failure{"bad-request", option, text(kContext, "\"%1\" is no time.", {word}),
                   text(kContext,
                        "Write for example 90s, 10m, 2h (before the end of the run, or before now), "
                        "or 2026-11-21 10:15:00."),
                   ""};
}

}  // namespace rankscope::ctl
