// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string_view>

namespace rankscope::inline runs {

/// What a GPU of this name computes at most in a second, in units of 10^12 operations: dense matrix products of 16-bit numbers
/// (BF16, where it has them) with 32-bit sums, as its maker's data sheet says. Nothing for names that leave it open, and for
/// parts of a GPU (MIG).
std::optional<double> gpu_peak_tflops(std::string_view name);

}  // namespace rankscope::inline runs
