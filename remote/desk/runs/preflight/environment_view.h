// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/nodes/deploy/python_requirements.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/desk/runs/preflight/path_targets.h>
#include <remote/diagnosis/check.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The file of environment:, from the folder of the job file.
RequirementsSource requirements_source(const Job& job);

/// Empty for a job without environment:.
Result<PythonRequirements> requirements_of(const Job& job, const std::stop_token& stop);

/// The request that has an agent make the environment.
wire::MakeEnvironment environment_request(const Job& job, const PythonRequirements& requirements);

/// "3fa2c1d4e5b6 (12 packages)".
std::string environment_text(const wire::EnvironmentState& state);

/// Whether the node has the environment, if the job has one. Where it has, `host` asks of its programs and packages instead
/// of the node's.
void look_for_environment(PreflightNode& node, const Job& job, const PythonRequirements& requirements,
                          wire::InspectHost& host);

/// The environment among the versions that the node has, for comparisons.
void add_environment_version(NodeView& view);

/// Where a node makes it only at the start, leaves out what only it has.
void leave_out_unmade(const std::vector<NodeView>& views, HostNeeds& needs);

/// Whether every node has it or can make it, and whether it is the same everywhere.
std::vector<Check> environment_checks(const std::vector<NodeView>& views, const Job& job);

}  // namespace rankscope::inline runs
