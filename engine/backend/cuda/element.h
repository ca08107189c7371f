// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

// Headers of the kernels keep to C++17, for the CUDA compiler.
namespace rankscope::engine::cuda {

/// What activations, their gradients and the kernels' copy of the weights are stored as.
enum class Element { f32, bf16, f16 };

constexpr std::size_t size_of(Element type) {
    return type == Element::f32 ? 4 : 2;
}

constexpr const char* name_of(Element type) {
    return type == Element::f32 ? "f32" : (type == Element::bf16 ? "bf16" : "f16");
}

/// Channels (and features) are stored in groups of so many, filled up with zeros: a thread moves one group at
/// a time, and the tensor cores want their matrices' rows on 16-byte boundaries.
constexpr std::int64_t kGroup = 8;

constexpr std::int64_t padded(std::int64_t count) {
    return (count + kGroup - 1) / kGroup * kGroup;
}

}  // namespace rankscope::engine::cuda
