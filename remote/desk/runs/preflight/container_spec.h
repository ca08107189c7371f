// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::inline runs {

/// The container of the job, for an agent, with the folders that the job names. Only where job.container.wanted().
wire::Container container_spec(const Job& job);

}  // namespace rankscope::inline runs
