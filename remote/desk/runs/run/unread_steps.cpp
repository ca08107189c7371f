// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/unread_steps.h>
#include <remote/desk/runs/run/victims.h>

#include <algorithm>

namespace rankscope::inline runs {

bool has_no_steps(const RunState& run) {
    const bool own = !run.plan.ranks.empty() && !runs_engine(run.plan, run.plan.ranks.front().rank);
    return own && run.last_step_us == 0 && run.first_step_us == 0 &&
           std::any_of(run.stages.begin(), run.stages.end(), [](const StageState& stage) {
               return stage.name == StageName::Rendezvous && stage.done;
           });
}

}  // namespace rankscope::inline runs
