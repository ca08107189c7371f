// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_problem.h>
#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// A job file's text with values changed: each assignment is "key=value" with dots between the levels
/// ("train.optimizer.lr=0.01"), the value as YAML has it; an empty one takes the key out. All other lines stay
/// as they are. What the values mean is checked when the job is read.
Result<std::string> with_assignments(const std::string& yaml, const std::vector<std::string>& assignments);

/// A job file's text with the values of `job` where they differ from what the text says. Keys that no table
/// knows, comments, order and the bytes of all other lines stay.
Result<std::string> with_job(const std::string& yaml, const Job& job);
/// The same for the values in which `after` differs from `before`: what the text says of all others stays,
/// right or wrong.
Result<std::string> with_changes(const std::string& yaml, const Job& before, const Job& after);

/// Takes keys out of the text: those that `faults` name.
Result<std::string> without_keys(const std::string& yaml, const config::ConfigProblems& faults);

}  // namespace rankscope::inline jobs
