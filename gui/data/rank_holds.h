// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/fault_marks.h>

#include <QString>
#include <vector>

namespace rankscope::gui {

/// What the faults of a run make of a rank, whose own last report is older, or says less.
struct RankHold {
    /// Failed: at fault, and its own end says so. Faulty: at fault otherwise.
    enum class Kind { None, Faulty, Failed, Slow, Waits, LostPeer, Unknown, NotStarted };

    Kind kind = Kind::None;
    QString text;         ///< "hangs", "waits for rank 3", "unknown since 11:17:45"
    bool silent = false;  ///< its node does not answer

    bool operator==(const RankHold&) const = default;
};

/// By rank: the marks as the window shows them.
std::vector<RankHold> rank_holds(const RunState& state, const FaultMarks& marks);
inline std::vector<RankHold> rank_holds(const RunState& state) {
    return rank_holds(state, fault_marks(state));
}

}  // namespace rankscope::gui
