// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/log_share.h>

namespace rankscope::inline runs {
namespace {

constexpr std::uint64_t kBytesPerSecond = 2048;
constexpr std::int64_t kSecondUs = 1000000;

}  // namespace

bool LogShare::admit(Event& event) {
    auto* log = std::get_if<LogEvent>(&event.body);
    if (log == nullptr) {
        return true;
    }
    const std::uint64_t size = log->text.size();
    if (used_ + size <= limit_) {
        used_ += size;
        return true;
    }
    Rank& rank = ranks_[{event.node, event.rank}];
    if (event.t_us - rank.since_us >= kSecondUs) {
        rank.since_us = event.t_us;
        rank.bytes = 0;
    }
    rank.is_stderr = log->is_stderr;
    const std::uint64_t room = kBytesPerSecond - rank.bytes;
    if (room == 0) {
        rank.dropped += size;
        return false;
    }
    if (size > room) {  // whole lines, if there is one
        const auto end = log->text.rfind('\n', room);
        log->text.resize(end == std::string::npos ? room : end + 1);
        rank.bytes = kBytesPerSecond;
    } else {
        rank.bytes += size;
    }
    log->dropped_bytes = rank.dropped;
    rank.dropped = size - log->text.size();
    return true;
}

std::vector<Event> LogShare::rest() {
    std::vector<Event> events;
    for (auto& [key, rank] : ranks_) {
        if (rank.dropped > 0) {
            Event event;
            event.rank = key.second;
            LogEvent log;
            log.is_stderr = rank.is_stderr;
            log.dropped_bytes = rank.dropped;
            event.body = std::move(log);
            events.push_back(std::move(event));
            rank.dropped = 0;
        }
    }
    return events;
}

}  // namespace rankscope::inline runs
