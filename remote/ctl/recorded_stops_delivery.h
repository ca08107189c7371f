// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>
#include <remote/desk/runs/store/run_store.h>

#include <string>
#include <vector>

namespace rankscope::ctl {

/// Tries to deliver the stops that these nodes (none: all) have not confirmed, all at the same time and for a
/// few seconds at most, without asking the user anything, and prints what became of each. false: there were
/// none.
bool deliver_recorded_stops(const GlobalOptions& options, RunStore& store,
                            const std::vector<std::string>& only);

}  // namespace rankscope::ctl
