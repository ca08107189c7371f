// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/commands.h>

namespace rankscope::ctl {

/// `runs export`: a run as other programs read it.
void add_export_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
