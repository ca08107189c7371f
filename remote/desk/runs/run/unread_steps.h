// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

namespace rankscope::inline runs {

/// The user's own program is past the rendezvous, or was, and no step of it is read: it may print none, or lines that
/// nothing reads. It runs; the time of its first step is unknown.
bool has_no_steps(const RunState& run);

}  // namespace rankscope::inline runs
