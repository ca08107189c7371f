// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/logs/variables/setting_rows.h>
#include <remote/wire/event.h>

namespace rankscope::inline jobs {

/// Adds the variables of NCCL, PyTorch and Gloo that the ranks of a plan get, those of secrets masked. `job`: to say
/// which of its keys sets them; without it everything comes from "env".
void add_plan(const LaunchPlan& plan, const Job* job, logs::SettingBook& book);

/// Adds what the ranks of a plan get from their nodes: what no rank has from the job or Rankscope.
void add_node_settings(const LaunchPlan& plan, const NodeSettings& nodes, logs::SettingBook& book);

}  // namespace rankscope::inline jobs
