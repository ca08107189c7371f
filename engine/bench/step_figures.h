// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <chrono>
#include <vector>

/// What a step cost, and what a process has taken.
namespace rankscope::engine {

/// Middle value, of an even number the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);
/// The value that `share` of all are smaller than, in [0, 1]; 0 of none.
double quantile(std::vector<double> values, double share);

/// CPU time of the whole process, all threads.
std::chrono::duration<double> process_cpu_time();

}  // namespace rankscope::engine
