// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/shared_file.h>
#include <remote/nccl_profiler/shared_words.h>

namespace rankscope::nccl {

/// Puts a record into the ring; the oldest one is overwritten. Any number of threads, no locks: a writer that was
/// stopped in the middle for a whole round costs the record that finds its place taken.
inline void write_record(const SharedFile& file, const nccl_ring::Record& record) {
    const std::uint64_t number = add(file.header->head, std::uint64_t{1}, std::memory_order_acq_rel);
    nccl_ring::Record& target = file.records[number % file.record_capacity];
    const std::uint64_t before = load(target.ticket, std::memory_order_acquire);
    if (before % 2 != 0 || before > 2 * number || !exchange_if(target.ticket, before, 2 * number + 1)) {
        add(file.header->records_dropped, std::uint64_t{1});
        return;
    }
    std::atomic_thread_fence(std::memory_order_release);
    store_words(target, record);
    store(target.ticket, 2 * number + 2, std::memory_order_release);
}

}  // namespace rankscope::nccl
