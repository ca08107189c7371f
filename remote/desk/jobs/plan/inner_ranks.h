// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/wire/event.h>

namespace rankscope::inline jobs {

/// Corrects a plan by what a node found: a program that was planned as one rank has started ranks itself. The plan then
/// has all of them, as many as they say that they are; those not found yet stand where they are expected. False: the
/// plan says so already, or this cannot be a rank of it.
bool add_inner_rank(LaunchPlan& plan, const std::string& node, int rank, const InnerRankEvent& inner);

}  // namespace rankscope::inline jobs
