// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::nccl {

enum class HandleKind : std::uint8_t { none, group, call, operation, kernel, network, step, anchor, chained };

/// What NCCL keeps for us in a void*: a number that is looked up, never followed. NCCL may give back a handle long
/// after its operation, or one of another process.
///
/// `id` is generation << 16 | slot. Generations begin at a number of each process, so that another process's
/// handles are not found here. An anchor names nothing: NCCL counts the collectives of a CUDA graph's replay only
/// where a group or a call has a handle.
struct Handle {
    HandleKind kind = HandleKind::none;
    std::uint8_t detail = 0;  ///< channel of a kernel, place of a step
    std::uint64_t id = 0;     ///< 52 bits

    void* encode() const {
        const std::uint64_t bits = id << 12U | std::uint64_t{detail} << 4U | static_cast<std::uint64_t>(kind);
        return reinterpret_cast<void*>(bits);  // NOLINT(performance-no-int-to-ptr): a number, never followed
    }
    static Handle decode(const void* handle) {
        const auto bits = reinterpret_cast<std::uint64_t>(handle);
        return {static_cast<HandleKind>(bits & 15U), static_cast<std::uint8_t>(bits >> 4U), bits >> 12U};
    }
};

inline constexpr std::uint64_t kSlotBits = 16;

constexpr std::uint64_t slot_of(std::uint64_t id) {
    return id & ((1U << kSlotBits) - 1);
}
/// The id of the next use of the same slot; 52 bits, the generation never 0.
constexpr std::uint64_t next_generation(std::uint64_t id) {
    constexpr std::uint64_t kGenerations = (std::uint64_t{1} << 36U) - 1;
    const std::uint64_t generation = ((id >> kSlotBits) + 1) & kGenerations;
    return (generation == 0 ? 1 : generation) << kSlotBits | slot_of(id);
}

}  // namespace rankscope::nccl
