// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/store/run_store.h>

#include <mutex>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The stops that nodes have not confirmed, as the store had them when this was made. Any thread.
class RecordedStops {
public:
    explicit RecordedStops(const RunStore& store);

    /// Sends those of the node; returns the ones that its agent has taken. The caller removes them from the
    /// store. Waits at most a few seconds for the agent.
    std::vector<StopOrder> deliver(const std::string& node, AgentLink& link);
    /// The nodes that have any.
    std::vector<std::string> nodes() const;

private:
    mutable std::mutex mutex_;
    std::vector<StopOrder> orders_;
};

/// "node2: the stop of run … is delivered."
std::string describe_delivery(const StopOrder& order);
/// "no sign of life for 23 s (since 14:03:12)", or that it answers but does not end, and why where that is known.
std::string describe_silence(const NodeStatus& node, std::int64_t now_us);
/// What is not known of a node that the desk no longer waits for, and what will be done.
std::string describe_unconfirmed(const NodeStatus& node, std::int64_t now_us, bool recorded);

}  // namespace rankscope::inline runs
