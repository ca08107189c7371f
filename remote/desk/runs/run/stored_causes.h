// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_tracker.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/diagnosis/verdict.h>
#include <remote/wire/event.h>

#include <vector>

namespace rankscope::inline runs {

/// What the exits and ends of a stored run say of its cause, beside what its ranks printed.
class StoredCauses {
public:
    /// Every event of the run, in its order.
    void observe(const RunRecord& record, const Event& event);

    /// Adds to the verdicts of the lines, the root cause first: `measured` by the run itself or, where that is empty (its
    /// desk did not see the end), what the exits of the ranks show. Of several ranks that print the same error, the one
    /// is named that failed first by its exit. `only`: the lines are of this run alone; of a run that finished, none is a
    /// cause then.
    void add_to(std::vector<Verdict>& verdicts, std::vector<Verdict> measured, bool only) const;

private:
    RunTracker tracker_;
    bool has_plan_ = false;
    Outcome outcome_ = Outcome::Running;  // as the end of the run states it
};

}  // namespace rankscope::inline runs
