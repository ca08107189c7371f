// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/commands.h>

namespace rankscope::ctl {

/// `runs log`: what the ranks of a stored run printed.
void add_log_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
