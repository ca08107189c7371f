// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>

namespace rankscope::inline runs {

/// A run that Slurm starts, through the agent of one login node: connect → push → submit → wait in the queue
/// → follow. The supervisors of the nodes write their events into the run's folder, which login node and nodes
/// share; the login node's agent sends them all, with the job's state. The row of the table in launchers.cpp.
LauncherKind slurm_launcher();

}  // namespace rankscope::inline runs
