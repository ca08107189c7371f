// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/preflight/host_checks.h>

namespace rankscope::inline runs {

/// The programs and files that the job's command and train section name.
HostNeeds needs_of(const Job& job);
/// Adds them to what an agent is asked of its node.
void ask_for(const Job& job, const HostNeeds& needs, wire::InspectHost& host);

}  // namespace rankscope::inline runs
