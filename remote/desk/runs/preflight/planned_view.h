// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/preflight/node_view.h>

#include <string>

namespace rankscope::inline runs {

/// Sets what the plan and the job say of the node of this name: address, interface, ranks, GPUs, environment. `machine`: its
/// processor.
void set_planned(NodeView& view, const LaunchPlan& plan, const Job& job, const std::string& machine);

}  // namespace rankscope::inline runs
