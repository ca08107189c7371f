// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/run_state.h>

#include <QString>
#include <vector>

namespace rankscope::gui {

/// What a live verdict says of a rank, whose own last report is older.
struct RankHold {
    enum class Kind { None, Faulty, Waits };

    Kind kind = Kind::None;
    QString text;  ///< "hangs", "waits for rank 3"

    bool operator==(const RankHold&) const = default;
};

/// By rank. Only of a run in progress, of its ranks that have not ended, and of verdicts that hold the run.
std::vector<RankHold> rank_holds(const RunState& state);

}  // namespace rankscope::gui
