// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/recorded_stops.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RecordedStops";
constexpr double kAnswerS = 10;

std::string clock_time(std::int64_t t_us) {
    const std::time_t seconds = t_us / 1000000;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    std::array<char, 16> buffer{};
    std::strftime(buffer.data(), buffer.size(), "%H:%M:%S", &parts);
    return buffer.data();
}

}  // namespace

RecordedStops::RecordedStops(const RunStore& store) {
    if (auto pending = store.pending_stops()) {
        orders_ = std::move(*pending);
    }
}

std::vector<StopOrder> RecordedStops::deliver(const std::string& node, AgentLink& link) {
    std::vector<StopOrder> orders;
    {
        const std::lock_guard lock(mutex_);
        const auto mine = std::stable_partition(orders_.begin(), orders_.end(),
                                                [&](const StopOrder& order) { return order.node != node; });
        std::move(mine, orders_.end(), std::back_inserter(orders));
        orders_.erase(mine, orders_.end());
    }
    std::vector<StopOrder> delivered;
    for (auto& order : orders) {
        const LauncherKind* kind = launcher_kind(order.launcher);
        if (kind != nullptr && link.alive() && link.call(kind->stop_request(order), kAnswerS)) {
            delivered.push_back(std::move(order));
        } else {
            const std::lock_guard lock(mutex_);
            orders_.push_back(std::move(order));
        }
    }
    return delivered;
}

std::vector<std::string> RecordedStops::nodes() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& order : orders_) {
        if (std::find(names.begin(), names.end(), order.node) == names.end()) {
            names.push_back(order.node);
        }
    }
    return names;
}

std::string describe_delivery(const StopOrder& order) {
    return text(kContext, "%1: delivered the recorded stop of run %2", {order.node, order.run_id});
}

std::string describe_silence(const NodeStatus& node, std::int64_t now_us) {
    if (node.reachable && node.trouble == NodeTrouble::SupervisorStopped) {
        return text(kContext, "its supervisor is stopped (state T) and does not report the end");
    }
    if (node.reachable && node.trouble == NodeTrouble::DiskFull) {
        return text(kContext, "its disk is full: its supervisor cannot record the end");
    }
    if (node.reachable) {
        return text(kContext,
                    "its agent answers, but its supervisor does not report the end (perhaps it is stopped)");
    }
    if (node.last_seen_us == 0) {
        return text(kContext, "this computer has not reached it yet");
    }
    return text(
        kContext, "no sign of life for %1 s (since %2)",
        {std::to_string((now_us - node.last_seen_us + 500000) / 1000000), clock_time(node.last_seen_us)});
}

std::string describe_unconfirmed(const NodeStatus& node, std::int64_t now_us, bool recorded) {
    const std::string known =
        text(kContext, "%1 has not confirmed the end: %2. Its ranks may still be running.",
             {node.node, describe_silence(node, now_us)});
    return recorded ? known + ' ' +
                          text(kContext,
                               "A stop is recorded; it is delivered when %1 answers again: at the next start "
                               "on it, `runs attach`, `runs list` or `clean`.",
                               {node.node})
                    : known;
}

}  // namespace rankscope::inline runs
