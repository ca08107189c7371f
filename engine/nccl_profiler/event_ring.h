// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rankscope::nccl {

enum class EventKind : std::uint8_t { start, enqueued, gpu };

/// What a callback leaves behind: plain data, no pointers into NCCL.
struct Event {
    EventKind kind = EventKind::start;
    bool p2p = false;
    std::uint8_t channels = 0;
    int rank = 0;
    int ranks = 0;
    int root_or_peer = 0;
    std::uint64_t operation = 0;  ///< our own number: joins the events of one operation
    std::uint64_t time_ns = 0;    ///< Unix time
    std::uint64_t communicator = 0;
    std::uint64_t sequence = 0;
    std::uint64_t count = 0;
    std::uint64_t gpu_start_ns = 0;
    std::uint64_t gpu_stop_ns = 0;
    std::array<char, 20> function{};
    std::array<char, 20> datatype{};
    std::array<char, 20> algorithm{};
    std::array<char, 12> protocol{};
};

/// Many writers, one reader, no locks: a writer that finds it full drops its event and counts it. Each cell
/// carries a ticket that says whose turn it is (D. Vyukov's bounded queue).
class EventRing {
public:
    EventRing() {
        for (std::size_t i = 0; i < kSize; ++i) {
            cells_[i].ticket.store(i, std::memory_order_relaxed);
        }
    }

    void push(const Event& event) {
        std::uint64_t at = head_.load(std::memory_order_relaxed);
        for (;;) {
            Cell& cell = cells_[at % kSize];
            const std::uint64_t ticket = cell.ticket.load(std::memory_order_acquire);
            if (ticket == at) {
                if (head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                    cell.event = event;
                    cell.ticket.store(at + 1, std::memory_order_release);
                    return;
                }
            } else if (ticket < at) {
                dropped_.fetch_add(1, std::memory_order_relaxed);
                return;
            } else {
                at = head_.load(std::memory_order_relaxed);
            }
        }
    }

    /// For the one reader.
    bool pop(Event& event) {
        Cell& cell = cells_[tail_ % kSize];
        if (cell.ticket.load(std::memory_order_acquire) != tail_ + 1) {
            return false;
        }
        event = cell.event;
        cell.ticket.store(tail_ + kSize, std::memory_order_release);
        ++tail_;
        return true;
    }

    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kSize = 8192;
    struct Cell {
        std::atomic<std::uint64_t> ticket{0};
        Event event;
    };
    std::array<Cell, kSize> cells_;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::uint64_t tail_ = 0;
    alignas(64) std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace rankscope::nccl
