// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

#include <QString>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A run in progress of any window of this program.
struct RunningPlan {
    std::string name;
    LaunchPlan plan;
};

/// What a job that starts beside runs in progress shares with them.
struct RunConflicts {
    QString fault;    ///< why it cannot start, and what to change; empty: it can
    QString warning;  ///< what it shares and still can start with; empty: nothing
};
RunConflicts run_conflicts(const LaunchPlan& plan, const std::vector<RunningPlan>& running);

}  // namespace rankscope::gui
