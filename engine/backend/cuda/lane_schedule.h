// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// What may run side by side. Input: operations in an order in which they may run one after the other, each
/// with the memory that it touches and its lane (a stream). Output: for each, the operations of other lanes
/// that it must wait for.
namespace rankscope::engine::cuda {

/// main: the chain that determines the step's time. side: weight gradients, which only the update waits for.
/// comm: what goes over the network.
enum class Lane { main, side, comm };
inline constexpr std::size_t kLanes = 3;
inline constexpr std::array<const char*, kLanes> kLaneNames{"main", "side", "comm"};

/// Addresses [begin, end).
struct MemoryTouch {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool writes = false;
};

/// One of them changes what the other one touches.
bool conflict(const std::vector<MemoryTouch>& a, const std::vector<MemoryTouch>& b);

struct LaneOperation {
    Lane lane = Lane::main;
    std::vector<MemoryTouch> touches;
};

/// By operation: those of other lanes that must have ended, only the last of each lane, and none that is
/// waited for anyway (because an earlier operation of the same lane did, directly or through others).
std::vector<std::vector<std::size_t>> lane_waits(const std::vector<LaneOperation>& operations);

}  // namespace rankscope::engine::cuda
