// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

/// The running operations and communicators. NCCL may hand back a handle long after its operation
/// is over, or one of another process: handles are numbers with a generation, looked up here, never pointers
/// to follow.
namespace rankscope::nccl {

/// One collective or point-to-point operation. Everything is atomic: its callbacks come from several threads.
struct Operation {
    std::atomic<std::uint64_t> id{0};  ///< 0: free
    std::atomic<std::uint64_t> communicator{0};
    std::atomic<std::uint64_t> sequence{0};
    std::atomic<int> rank{0};
    std::atomic<unsigned> function{0};  ///< index into the table of names
    std::atomic<unsigned> channels{0};
    std::atomic<unsigned> started{0};
    std::atomic<unsigned> stopped{0};
    std::atomic<std::uint64_t> gpu_start{0};
    std::atomic<std::uint64_t> gpu_stop{0};
};

class OperationTable {
public:
    static constexpr std::size_t kSize = 4096;

    /// The next slot; the oldest operation in it, finished or not, is forgotten.
    Operation& take(std::uint64_t& id) {
        id = next_.fetch_add(1, std::memory_order_relaxed);
        Operation& slot = slots_[id % kSize];
        slot.id.store(0, std::memory_order_release);
        slot.started.store(0, std::memory_order_relaxed);
        slot.stopped.store(0, std::memory_order_relaxed);
        slot.gpu_start.store(~std::uint64_t{0}, std::memory_order_relaxed);
        slot.gpu_stop.store(0, std::memory_order_relaxed);
        return slot;
    }
    /// Null when that operation is not in the table (any more).
    Operation* find(std::uint64_t id) {
        Operation& slot = slots_[id % kSize];
        return id != 0 && slot.id.load(std::memory_order_acquire) == id ? &slot : nullptr;
    }

private:
    std::atomic<std::uint64_t> next_{1};
    std::array<Operation, kSize> slots_;
};

/// A communicator; the context that NCCL hands back is its place in the table plus one.
struct Communicator {
    static constexpr int kMaxPeers = 1024;
    std::atomic<std::uint64_t> id{0};
    std::atomic<int> rank{0};
    std::atomic<int> ranks{0};
    /// Send and receive have no number of their own in NCCL: counted here, per peer and direction.
    std::array<std::array<std::atomic<std::uint32_t>, 2>, kMaxPeers> p2p{};
};

/// Operation ids and kernel channels in the void* that NCCL keeps for us.
struct Handle {
    std::uint64_t operation = 0;
    bool kernel = false;

    void* encode() const {
        const std::uint64_t bits = operation << 1U | (kernel ? 1U : 0U);
        return reinterpret_cast<void*>(
            bits);  // NOLINT(performance-no-int-to-ptr): a number in a pointer's clothes
    }
    static Handle decode(const void* handle) {
        const auto bits = reinterpret_cast<std::uint64_t>(handle);
        return {bits >> 1U, (bits & 1U) != 0};
    }
};

}  // namespace rankscope::nccl
