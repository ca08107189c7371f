// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/commands.h>

namespace rankscope::ctl {

/// `runs prune`: removes old runs of the store, by age and size; shows them first and asks.
void add_prune_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
