// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <vector>

namespace rankscope::engine {

/// A buffer of a planned step: its size and the first and last operation (inclusive) that touch it.
struct BufferLifetime {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};

struct BufferPlan {
    std::vector<std::size_t> offsets;  ///< bytes from the arena's start, multiples of kBufferAlignment
    std::size_t total = 0;             ///< bytes of the arena
};

inline constexpr std::size_t kBufferAlignment = 64;

/// Lays buffers into one arena so that two that live at the same time never overlap. Largest first, each at
/// the lowest offset that is free during its life: not optimal, but within a few per cent for networks.
BufferPlan plan_buffers(const std::vector<BufferLifetime>& buffers);

}  // namespace rankscope::engine
