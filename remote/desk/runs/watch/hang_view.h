// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/desk/runs/watch/rank_waits.h>
#include <remote/diagnosis/verdict.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// All that a verdict on a run without progress is made from.
struct HangView {
    const std::map<int, RankSeen>& ranks;
    const LaunchPlan& plan;
    double now = 0;  ///< monotonic seconds
    double stall_s =
        0;  ///< without a sign of progress; where the run gives none: since its ranks do not move
    double usual_s = 0;           ///< between two signs; 0: not known
    double hang_after_s = 0;      ///< of the job; 0: learnt
    bool trains = true;           ///< it writes steps; else the looks alone show that it stalls
    bool over = false;            ///< the run has ended: what did not end never will, and no time is known
    bool brief = false;           ///< looks of seconds: a rank that computes cannot be said to hang
    bool long_phase = false;      ///< before the first step, data, validation, checkpoint
    std::set<int> writing = {};   ///< ranks whose output continues
    std::set<int> finished = {};  ///< ranks that have ended without an error
    /// Nodes that did not answer the last look and the one before: how long they have been silent.
    std::map<std::string, double> silent_nodes = {};
    std::vector<CollectiveFinding> collectives = {};  ///< how the ranks differ in their collectives
};

struct HangFinding {
    Verdict verdict = {};                ///< phase Live; since_us is left to the caller
    double since = 0;                    ///< monotonic seconds
    std::vector<SilentPath> paths = {};  ///< of a network fault: what probes can look at more closely
    bool with_collectives = false;       ///< what the collectives show is among the evidence

    /// The same fault as this verdict.
    bool is(const Verdict& other) const {
        return verdict.id == other.id && verdict.node == other.node && verdict.rank == other.rank &&
               verdict.reason == other.reason;
    }
};

}  // namespace rankscope::inline runs
