// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <CLI/CLI.hpp>

namespace rankscope::ctl {

/// Adds `delete` and `restore` to the commands of `runs`.
void add_trash_commands(CLI::App& runs, GlobalOptions& options, int& code);
/// `runs list --deleted`.
int list_trash(const GlobalOptions& options);

}  // namespace rankscope::ctl
