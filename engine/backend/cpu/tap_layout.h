// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine::cpu {

/// A convolution's weights between PyTorch's order, [out][in][taps], and the one of tap_convolution.h,
/// [taps][in][out]. oneDNN 2.6's reorder takes 33 ms for 512 × 512 × 9 (these: 4), which a ResNet-18 has
/// three of, at every start and every snapshot.
void to_tap_major(std::int64_t out, std::int64_t in, std::int64_t taps, const float* canonical,
                  float* stored);
void from_tap_major(std::int64_t out, std::int64_t in, std::int64_t taps, const float* stored,
                    float* canonical);

}  // namespace rankscope::engine::cpu
