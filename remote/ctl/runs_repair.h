// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/commands.h>

namespace rankscope::ctl {

/// `runs repair`: checks the run store; one that is damaged or newer is renamed, and a new one begun.
void add_repair_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
