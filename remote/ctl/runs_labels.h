// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/commands.h>
#include <remote/desk/runs/store/run_labels.h>

#include <map>
#include <string>

namespace rankscope::ctl {

/// Of the store of these options; reports a failure, and has then none.
std::map<std::string, RunLabels> labels_of_runs(const GlobalOptions& options);

/// `runs label`: star, tags, group and note of a run.
void add_label_command(CLI::App& runs, GlobalOptions& options, int& code);

}  // namespace rankscope::ctl
