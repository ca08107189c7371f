// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_controller.h>

#include <memory>

namespace rankscope::ctl {

/// Must be called before any thread is made: Ctrl-C and its like are then taken by follow() alone.
void block_signals();

/// What a Ctrl-C means to a command that watches a run.
enum class Interrupt {
    Stops,  ///< first: stop; second: force; third: leave it running
    Leaves  ///< leave it running
};

/// Waits for the end of the run and returns its exit code. SIGTERM and SIGHUP never stop a run whose ranks
/// are started: they end this program (exit code 128 + signal) and leave the run to its nodes. One that is
/// still starting cannot be left and is stopped.
int follow(RunController& controller, bool json, Interrupt interrupt);

}  // namespace rankscope::ctl
