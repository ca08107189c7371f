// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>
#include <remote/desk/config/job.h>

namespace rankscope::ctl {

/// Starts a run of the job and watches it to its end, or, with `detach`, until all its ranks are started.
/// Returns the exit code. What is wrong with the job is reported first.
int run_job(const GlobalOptions& options, JobRead job, bool detach, bool logs);

}  // namespace rankscope::ctl
