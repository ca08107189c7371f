// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/desk/runs/watch/rank_directory.h>
#include <remote/observe/nccl_ras/ras_findings.h>

#include <vector>

namespace rankscope::inline runs {

/// What a report of RAS, or counters in its form, says about the ranks of the run. `before`: the findings of the report
/// before, replaced by those of this one.
std::vector<CollectiveFinding> collective_findings(const RasReport& report, std::vector<RasFinding>& before,
                                                   const char* source, const RankDirectory& directory,
                                                   const LaunchPlan& plan);

/// "communicator 0xc0ffee".
std::string communicator_name(std::uint64_t hash);

}  // namespace rankscope::inline runs
