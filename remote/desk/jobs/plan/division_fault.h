// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>

#include <optional>

namespace rankscope::inline jobs {

/// Of stages or slices that fit neither the ranks nor the network, with those that would. Precondition: the `train` section
/// came through check_train_config().
std::optional<Failure> division_fault(const Job& job, int ranks);

}  // namespace rankscope::inline jobs
