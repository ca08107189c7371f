// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/logs/variables/variable_table.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// What is wrong with a variable, as a sentence: "NCCL knows no NCCL_SOCKET_IFNAM; NCCL_SOCKET_IFNAME was probably meant."
std::string variable_problem_text(const std::string& name, const std::string& value,
                                  const logs::VariableProblem& problem);

/// Sentences about the variables of a job that are misspelt or have values that cannot be right.
std::vector<std::string> variable_notes(const Job& job, const logs::VariableTable& table);

}  // namespace rankscope::inline jobs
