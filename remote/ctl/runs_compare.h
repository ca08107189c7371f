// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <CLI/CLI.hpp>

namespace rankscope::ctl {

/// Adds `compare` to the commands of `runs`.
void add_compare_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
