// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

// Headers of the kernels keep to C++17, for the CUDA compiler.
namespace rankscope::engine::cuda {

/// Channels (and features) are stored in groups of this size, filled up with zeros: a thread moves one group
/// at a time, and the tensor cores need their matrices' rows on 16-byte boundaries.
constexpr std::int64_t kGroup = 8;

constexpr std::int64_t padded(std::int64_t count) {
    return (count + kGroup - 1) / kGroup * kGroup;
}

}  // namespace rankscope::engine::cuda
