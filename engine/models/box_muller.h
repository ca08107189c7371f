// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <span>

namespace rankscope::engine {

/// Turns uniform numbers in [0, 1) into normal ones in place, in blocks of 16 = 8 pairs (j, j + 8): radius
/// √(−2·ln(1−u₁)), angle 2π·u₂, cosine to j, sine to j + 8. Bit for bit what PyTorch's normal_() makes on a
/// CPU with AVX2 (ATen/native/cpu/DistributionTemplates.h): logarithm, sine and cosine are Cephes'
/// polynomials (Moshier), every product and sum that follow one another fused. The size must be a multiple
/// of 16.
void box_muller(std::span<float> values, float mean, float deviation);

}  // namespace rankscope::engine
