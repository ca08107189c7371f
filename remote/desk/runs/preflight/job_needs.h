// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/preflight/host_checks.h>

namespace rankscope::inline runs {

/// The programs and files that the job's command and train section name.
HostNeeds needs_of(const Job& job);

}  // namespace rankscope::inline runs
