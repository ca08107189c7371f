// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine {

/// Of one picture; PIL refuses more as well (a small file can claim any size).
inline constexpr std::uint64_t kMostPixels = 178956970;

}  // namespace rankscope::engine
