// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/communicators.h>
#include <remote/nccl_profiler/gpu_clock.h>
#include <remote/nccl_profiler/shared_file.h>

#include <array>
#include <cstdint>

namespace rankscope::nccl {

inline constexpr std::uint64_t kNoGpuTime = ~std::uint64_t{0};

/// The operations in flight: places in the shared file, found by handles with a generation. What is not finished
/// keeps its place; a place is needed again where it never will.
class OperationTable {
public:
    void attach(const SharedFile& file);

    /// A place for a new operation, empty, not visible yet; `pushed_out` is what was there and never finished (kind
    /// none: nothing). Null when all places near are in flight.
    nccl_ring::Operation* take(Communicators& communicators, std::uint64_t now,
                               nccl_ring::Operation& pushed_out);
    /// Makes it visible; returns its id.
    std::uint64_t publish(nccl_ring::Operation& operation);
    /// Null when it is not in its place (any more).
    nccl_ring::Operation* find(std::uint64_t id);
    /// GPU time at which a channel of it started, 0: none.
    std::uint64_t& channel_start(const nccl_ring::Operation& operation, unsigned channel);

private:
    enum class Reuse { no, yes, unfinished };
    Reuse reuse(const nccl_ring::Operation& operation, Communicators& communicators, std::uint64_t now);
    std::size_t slot(const nccl_ring::Operation& operation) const;

    nccl_ring::Operation* operations_ = nullptr;
    std::uint64_t cursor_ = 0;
    std::array<std::uint64_t, kOperations> next_id_{};
    std::array<std::uint32_t, kOperations> claimed_{};
    std::array<std::array<std::uint64_t, kChannels>, kOperations> channel_starts_{};
};

}  // namespace rankscope::nccl
