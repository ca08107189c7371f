// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/wire/event.h>

#include <algorithm>

namespace rankscope::inline runs {

/// It ended on its own, and not well.
inline bool failed_itself(const ExitEvent& exit) {
    return !exit.requested && (exit.code != 0 || exit.signal != 0);
}

/// The rank runs this product's engine, whose own errors before the ranks have met are about reaching each other.
inline bool runs_engine(const LaunchPlan& plan, int rank) {
    return std::any_of(plan.ranks.begin(), plan.ranks.end(), [rank](const RankPlan& one) {
        return one.rank == rank && !one.command.empty() && one.command.front() == "{worker}";
    });
}

/// It ended because others did not answer: by its own report, or (`meets`: of the engine, before its ranks have met)
/// because of the network fault that `held` the run then; nullptr: nothing did.
inline bool is_victim(const ExitEvent& exit, bool meets, const Verdict* held) {
    const bool network_fault =
        held != nullptr && !held->pairs.empty() && holds_the_run(*held) && held->confidence >= kSureVerdict;
    return exit.code == kExitPeerLost || exit.lost_peer ||
           (meets && network_fault && exit.signal == 0 && exit.code != 0);
}

/// What blocks ports of a node silences the link of the supervisors, too: the node is there.
inline bool explains_loss(const Verdict& verdict, const std::string& node) {
    return !verdict.pairs.empty() && verdict.id != FailureId("node-lost") &&
           verdict.id != FailureId("partition-midrun") &&
           std::count(verdict.nodes.begin(), verdict.nodes.end(), node) > 0;
}

}  // namespace rankscope::inline runs
