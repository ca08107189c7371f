// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine::cpu {

/// The upper half of a float (bfloat16) as stored. Conversions round to nearest even.
struct Bf16 {
    std::uint16_t bits;
};

}  // namespace rankscope::engine::cpu
