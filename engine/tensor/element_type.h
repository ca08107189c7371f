// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

// Headers of the CUDA kernels keep to C++17, for nvcc; this is one of them.
namespace rankscope::engine {

/// Element types that the engine computes with, adds up over the ranks and sends. bf16 is the upper half of a
/// float, f16 IEEE 754 binary16; both are added in f32 and rounded once. f64 appears only in sums over the ranks.
/// Files hold more types: StoredType in engine/checkpoint.
enum class ElementType : std::uint8_t { f32, bf16, f16, f64 };

/// Bytes of one element.
constexpr std::size_t size_of(ElementType type) {
    return type == ElementType::f32 ? 4 : (type == ElementType::f64 ? 8 : 2);
}

constexpr const char* name_of(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return "f32";
        case ElementType::bf16:
            return "bf16";
        case ElementType::f16:
            return "f16";
        case ElementType::f64:
            return "f64";
    }
    return "?";
}

}  // namespace rankscope::engine
