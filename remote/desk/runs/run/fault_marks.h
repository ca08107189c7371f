// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a fault makes of a rank.
enum class RankMark {
    None,         ///< its own phase says all
    Culprit,      ///< at fault, or on the node or at the connection at fault
    Slow,         ///< the others wait for it in every step
    Waits,        ///< for the culprit
    LostPeer,     ///< it ended because others did not answer
    FailedLater,  ///< it failed, after the one at fault
    Unknown,      ///< its node does not answer
    NotStarted
};

/// Who is at fault in a run, who suffers, and of whom nothing is known: while it runs and after its end, for the
/// window and for rankscopectl. A plain value.
struct FaultMarks {
    struct OfRank {
        RankMark mark = RankMark::None;
        std::string text = {};      ///< "stopped", "waits for rank 1", "lost a peer"; None: empty
        std::int64_t since_us = 0;  ///< Unknown: the last sign of its node; else 0

        bool operator==(const OfRank&) const = default;
    };

    std::vector<OfRank> ranks = {};                   ///< by rank
    std::vector<int> culprits = {};                   ///< ranks at fault themselves
    std::vector<std::string> nodes = {};              ///< nodes at fault as a whole
    std::vector<NodePair> pairs = {};                 ///< connections at fault, where no node alone is
    bool slows_only = false;                          ///< nothing stands still
    std::map<std::string, std::int64_t> silent = {};  ///< nodes that do not answer: their last sign; 0: none

    bool operator==(const FaultMarks&) const = default;

    bool any_culprit() const { return !culprits.empty() || !nodes.empty() || !pairs.empty(); }
    RankMark of(int rank) const;
    std::vector<int> with(RankMark mark) const;
    /// It is at fault, or has a rank that is, or an end of a connection that is.
    bool blames(const std::string& node) const { return blamed_nodes.count(node) > 0; }
    /// "rank 1", "ranks 1, 3", "node2", "node2 – node3"; empty: nobody is at fault.
    std::string culprit_name() const;
    /// "At fault: node2 · lost a peer: 0, 2, 3 · unknown since 11:17:45: 1"; empty: there is nothing to say.
    std::string line() const;

    std::set<std::string> blamed_nodes = {};  ///< see blames()
};

FaultMarks fault_marks(const RunState& state);
/// The live verdict that matters most; nullptr: none holds.
const DiagnosisEvent* main_verdict(const RunState& state);
/// {"culprits", "nodes", "pairs", "waiting", "lost_peer", "failed_later", "unknown"}: the last with the time since when.
std::string marks_json(const FaultMarks& marks);

}  // namespace rankscope::inline runs
