// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::inline runs {

/// What the agent needs for a program of the user beyond command and environment.
void add_own_program(const Job& job, wire::StartRun& run);

}  // namespace rankscope::inline runs
