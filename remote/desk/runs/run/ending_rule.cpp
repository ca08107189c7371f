// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/ending_rule.h>

#include <algorithm>

namespace rankscope::inline runs {
namespace {

constexpr double kMarginS = 3;      // for what the supervisors do after their own limit
constexpr double kForceS = 2;       // a forced stop waits no longer
constexpr double kNoTimeoutS = 30;  // where the job has no limit of its own
constexpr double kFinishedS = 60;   // the other nodes have finished: a cut at the end may heal

}  // namespace

void EndingRule::stop_asked(double now, StopKind kind) {
    const bool forces = kind == StopKind::Force;
    if (!stop_s_ || (forces && !forced_)) {
        stop_s_ = now;
        forced_ = forces;
    }
}

void EndingRule::node_ended(double now, bool failed) {
    last_end_s_ = now;
    failed_ = failed_ || failed;
}

std::vector<NodeStatus> EndingRule::lost(const std::vector<NodeStatus>& nodes, double now) const {
    const double limit_s = (limits_.peer_timeout_s > 0 ? limits_.peer_timeout_s : kNoTimeoutS) + kMarginS;
    std::vector<NodeStatus> pending;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(pending),
                 [](const NodeStatus& node) { return !node.ended; });
    const bool none_reachable =
        std::none_of(pending.begin(), pending.end(), [](const NodeStatus& node) { return node.reachable; });
    const auto is_lost = [&](const NodeStatus& node) {
        if (stop_s_) {
            const double asked_for_s = now - *stop_s_;
            const double patience_s = node.reachable ? limits_.stop_allowance_s : limits_.grace_s;
            if (asked_for_s >= (forced_ ? kForceS : patience_s)) {
                return true;
            }
        }
        if (!last_end_s_ || (!node.reachable && !none_reachable)) {
            return false;  // nothing has ended, or others still answer and will end
        }
        if (!failed_) {
            return !node.reachable && now - node.last_seen_s >= std::max(kFinishedS, limit_s) &&
                   now - *last_end_s_ >= limit_s;
        }
        if (node.reachable && node.trouble == NodeTrouble::SupervisorStopped) {
            return now - *last_end_s_ >= kMarginS;  // the others have waited for it already: why is known
        }
        if (node.reachable) {
            return now - *last_end_s_ >= std::max(limit_s, limits_.stop_allowance_s);
        }
        return now - node.last_seen_s >= limit_s;
    };
    std::vector<NodeStatus> lost;
    std::copy_if(pending.begin(), pending.end(), std::back_inserter(lost), is_lost);
    return lost;
}

}  // namespace rankscope::inline runs
