// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>
#include <remote/ctl/unfinished_runs.h>
#include <remote/desk/runs/store/run_labels.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace rankscope::ctl {

std::string lasted(const RunRecord& record, const UnfinishedRuns& unfinished = {});
nlohmann::ordered_json record_json(const RunRecord& record, const RunLabels& labels = {},
                                   const UnfinishedRuns& unfinished = {});

/// Adds `list` to the commands of `runs`; with `nodes` it asks these instead of the store.
CLI::App* add_list_command(CLI::App& runs, GlobalOptions& options, int& code,
                           const std::shared_ptr<std::vector<std::string>>& nodes);

}  // namespace rankscope::ctl
