// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::engine {

/// Element types that the ranks add up. bf16 is the upper half of a float, f16 IEEE 754 binary16; both are
/// added in f32 and rounded once.
enum class DataType : std::uint8_t { f32, bf16, f16, f64 };

constexpr std::size_t size_of(DataType type) {
    return type == DataType::f32 ? 4 : type == DataType::f64 ? 8 : 2;
}

constexpr const char* name_of(DataType type) {
    switch (type) {
        case DataType::f32:
            return "f32";
        case DataType::bf16:
            return "bf16";
        case DataType::f16:
            return "f16";
        case DataType::f64:
            return "f64";
    }
    return "?";
}

}  // namespace rankscope::engine
