// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/run_controller.h>

#include <memory>

namespace rankscope::ctl {

/// Must be called before any thread is made: Ctrl-C and its like are then taken by follow() alone.
void block_signals();

/// Waits for the end of the run. First SIGINT or SIGTERM: stop; second: force; third, or SIGHUP: leave it
/// running. Returns the exit code.
int follow(RunController& controller, bool json);

}  // namespace rankscope::ctl
