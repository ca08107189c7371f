// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/handle.h>
#include <remote/nccl_profiler/operations.h>

#include <unistd.h>

namespace rankscope::nccl {
namespace {

using nccl_ring::OperationKind;
using nccl_ring::Phase;

/// How many places are looked at for a new operation.
constexpr unsigned kLooks = 64;
/// Without a single report of a kernel on this communicator, an operation is not kept for longer.
constexpr std::uint64_t kUnobservedNs = 120'000'000'000;

bool over(const nccl_ring::Operation& operation) {
    return load(operation.phase) >= static_cast<std::uint32_t>(Phase::finished);
}

}  // namespace

void OperationTable::attach(const SharedFile& file) {
    operations_ = file.operations;
    cursor_ = 0;
    const std::uint64_t salt = (now_ns() / 1000 ^ static_cast<std::uint64_t>(getpid()) << 13U) & 0x3fffffff;
    for (std::uint32_t i = 0; i < kOperations; ++i) {
        next_id_[i] = next_generation(salt << kSlotBits | i);
        claimed_[i] = 0;
    }
}

std::size_t OperationTable::slot(const nccl_ring::Operation& operation) const {
    return static_cast<std::size_t>(&operation - operations_);
}

std::uint64_t& OperationTable::channel_start(const nccl_ring::Operation& operation, unsigned channel) {
    return channel_starts_[slot(operation)][channel % kChannels];
}

nccl_ring::Operation* OperationTable::find(std::uint64_t id) {
    const std::uint64_t slot = slot_of(id);
    if (id == 0 || slot >= kOperations || load(operations_[slot].id, std::memory_order_acquire) != id) {
        return nullptr;
    }
    return &operations_[slot];
}

OperationTable::Reuse OperationTable::reuse(const nccl_ring::Operation& operation,
                                            Communicators& communicators, std::uint64_t now) {
    if (load(operation.id) == 0 || over(operation)) {
        return Reuse::yes;
    }
    const CommunicatorPlace* place = communicators.at(load(operation.communicator_slot));
    const bool closed =
        place == nullptr || load(place->id) == 0 || load(place->entry->opened_ns) > load(operation.start_ns);
    const std::uint64_t ended = load(operation.end_ns);
    switch (load(operation.kind)) {
        case OperationKind::group:
            return closed ? Reuse::yes : Reuse::no;
        case OperationKind::collective_call:
        case OperationKind::p2p_call: {
            const nccl_ring::Operation* group = find(load(operation.parent));
            const bool waits = ended == 0 || (group != nullptr && !over(*group));
            return closed || !waits ? Reuse::unfinished : Reuse::no;
        }
        default:
            break;
    }
    const bool overtaken =
        !closed && ended != 0 && load(operation.start_ns) < load(place->entry->last_finished_start_ns);
    const bool unobserved =
        !closed && ended != 0 && !load(place->kernels_reported) && now - ended > kUnobservedNs;
    return closed || overtaken || unobserved ? Reuse::unfinished : Reuse::no;
}

nccl_ring::Operation* OperationTable::take(Communicators& communicators, std::uint64_t now,
                                           nccl_ring::Operation& pushed_out) {
    const std::uint64_t first = add(cursor_, std::uint64_t{1});
    for (unsigned look = 0; look < kLooks; ++look) {
        const std::size_t at = (first + look) % kOperations;
        nccl_ring::Operation& operation = operations_[at];
        if (reuse(operation, communicators, now) == Reuse::no || !exchange_if(claimed_[at], 0U, 1U)) {
            continue;
        }
        const Reuse again = reuse(operation, communicators, now);
        if (again == Reuse::no) {  // another thread has just taken it
            store(claimed_[at], 0U, std::memory_order_release);
            continue;
        }
        const std::uint64_t before = load(operation.id);
        store(operation.id, std::uint64_t{0}, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_release);
        if (before != 0 && again == Reuse::unfinished) {
            load_words(pushed_out, operation);
            pushed_out.id = before;
        }
        add(cursor_, std::uint64_t{look});  // what is in flight is not looked at each time
        return &operation;
    }
    return nullptr;
}

std::uint64_t OperationTable::publish(nccl_ring::Operation& operation) {
    const std::size_t at = slot(operation);
    const std::uint64_t id = next_id_[at];
    next_id_[at] = next_generation(id);
    store(operation.id, id, std::memory_order_release);
    store(claimed_[at], 0U, std::memory_order_release);
    return id;
}

}  // namespace rankscope::nccl
