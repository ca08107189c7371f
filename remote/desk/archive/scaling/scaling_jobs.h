// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>

#include <vector>

namespace rankscope::inline archive {

/// Weak: each rank keeps its batch. Strong: all ranks together keep the batch of the largest number of ranks.
enum class ScalingMode { Weak, Strong };
const char* to_string(ScalingMode mode);

/// 1, 2, 4 … up to `offered`, and `offered` itself.
std::vector<int> scaling_sizes(int offered);

/// The job on `ranks` of the ranks that its plan offers, first nodes first. Checkpoints and restarts are off, and it
/// trains until it is stopped. Failures: more ranks than are offered; strong scaling of a program, or of a batch that
/// cannot be divided.
Result<Job> scaled_job(const Job& job, const LaunchPlan& offered, int ranks, int largest, ScalingMode mode);

}  // namespace rankscope::inline archive
