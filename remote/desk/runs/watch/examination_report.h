// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/kept_report.h>
#include <remote/desk/runs/watch/run_examination.h>
#include <remote/diagnosis/verdict.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

class RunStore;

// What `doctor` shows, in rankscopectl and in the window.

/// The job with which nodes are inspected for no job in particular; "all" alone: every node of the inventory.
Job job_of_nodes(const std::vector<std::string>& nodes);
/// Those that hold at the end of what the store has of the run.
std::vector<Verdict> stored_verdicts(const RunStore& store, const std::string& run_id);
/// The verdict as a failing check.
Check check_of(const Verdict& verdict);
/// What holds the ranks of a run, which nodes do not answer, and the paths between the others; a check that passes
/// where nothing is found.
PreflightReport report_of(const RunExamination& found, const LaunchPlan& plan);
/// The report that is kept of a run (null: none) with what its verdicts say beyond it. Without a report there are no
/// paths: none was tried.
PreflightReport report_of(const std::vector<Verdict>& verdicts, const KeptReport* kept,
                          const LaunchPlan& plan);

}  // namespace rankscope::inline runs
