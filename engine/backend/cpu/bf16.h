// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <bit>
#include <cstdint>

namespace rankscope::engine::cpu {

/// The upper half of a float (bfloat16) as stored. Conversions round to nearest even.
struct Bf16 {
    std::uint16_t bits;
};

inline float to_float(float value) {
    return value;
}
inline float to_float(Bf16 value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

template <typename T>
T rounded_to(float value);
template <>
inline float rounded_to<float>(float value) {
    return value;
}
template <>
inline Bf16 rounded_to<Bf16>(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    // Rounding could carry a NaN into infinity: its upper half is kept, with a bit set.
    const std::uint32_t rounded =
        value != value ? (bits >> 16U) | 0x40U : (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    return {static_cast<std::uint16_t>(rounded)};
}

}  // namespace rankscope::engine::cpu
