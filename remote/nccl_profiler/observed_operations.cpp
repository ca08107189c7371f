// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The life of one operation: called, enqueued, running on the GPU and the network, finished.

#include <remote/nccl_profiler/observer.h>
#include <remote/nccl_profiler/record_writer.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace rankscope::nccl {
namespace {

using nccl_ring::Operation;
using nccl_ring::OperationKind;
using nccl_ring::Phase;
using nccl_ring::RecordKind;

constexpr std::uint32_t number(Phase phase) {
    return static_cast<std::uint32_t>(phase);
}

bool is_call(OperationKind kind) {
    return kind == OperationKind::collective_call || kind == OperationKind::p2p_call;
}

HandleKind handle_kind(OperationKind kind) {
    if (kind == OperationKind::group) {
        return HandleKind::group;
    }
    return is_call(kind) ? HandleKind::call : HandleKind::operation;
}

std::uint8_t small(unsigned value) {
    return static_cast<std::uint8_t>(std::min(value, 255U));
}

}  // namespace

void Observer::write(RecordKind kind, const Operation& live) {
    Operation operation{};
    load_words(operation, live);
    nccl_ring::Record record{};
    record.kind = kind;
    record.operation_kind = operation.kind;
    record.api_version = operation.api_version;
    record.channels_rejected = small(operation.channels_rejected);
    record.flags = static_cast<std::uint16_t>(operation.flags);
    record.communicator_slot = static_cast<std::uint16_t>(operation.communicator_slot);
    record.rank = operation.rank;
    record.root_or_peer = operation.root_or_peer;
    record.communicator = operation.communicator;
    record.operation = operation.id;
    record.parent = operation.parent;
    record.start_ns = operation.start_ns;
    record.end_ns = operation.end_ns;
    record.count = operation.count;
    if (operation.gpu_start_ns != kNoGpuTime) {
        record.gpu_start_ns = operation.gpu_start_ns;
        record.gpu_stop_ns = operation.gpu_stop_ns;
    }
    record.sequence = operation.sequence;
    record.function = operation.function;
    record.datatype = operation.datatype;
    record.algorithm = operation.algorithm;
    record.protocol = operation.protocol;
    record.channels = operation.channels;
    record.channels_seen = small(static_cast<unsigned>(std::popcount(operation.channels_seen)));
    record.channels_done = small(static_cast<unsigned>(std::popcount(operation.channels_done)));
    record.warps = operation.warps;
    record.peer_wait_ns = operation.peer_wait_ns;
    record.gpu_wait_ns = operation.gpu_wait_ns;
    if (operation.network_stop_ns > operation.network_start_ns) {
        record.network_us = static_cast<std::uint32_t>(
            std::min<std::uint64_t>((operation.network_stop_ns - operation.network_start_ns) / 1000,
                                    std::numeric_limits<std::uint32_t>::max()));
    }
    record.network_operations = operation.network_operations;
    write_record(file_, record);
}

void Observer::write(RecordKind kind, const CommunicatorPlace& place, std::uint64_t now) {
    nccl_ring::Record record{};
    record.kind = kind;
    record.api_version = static_cast<std::uint8_t>(load(place.entry->api_version));
    record.communicator_slot = place.slot;
    record.rank = load(place.entry->rank);
    record.communicator = load(place.entry->id);
    record.start_ns = now;
    record.end_ns = now;
    record.count = static_cast<std::uint64_t>(std::max(load(place.entry->ranks), 0));
    write_record(file_, record);
}

void* Observer::begin(CommunicatorPlace& place, const StartEvent& event, OperationKind kind,
                      std::uint64_t now) {
    learn_communicator(place, event);
    const bool call = is_call(kind);
    const Handle parent = Handle::decode(event.parent);
    std::uint32_t flags = event.captured ? std::uint32_t{nccl_ring::kGraphCaptured} : 0U;
    std::uint64_t parent_id = 0;
    if (call && parent.kind == HandleKind::group && operations_.find(parent.id) != nullptr) {
        parent_id = parent.id;
    } else if (!call && parent.kind == HandleKind::call) {
        Operation* caller = operations_.find(parent.id);
        if (caller == nullptr || (load(caller->flags) & nccl_ring::kGraphCaptured) != 0) {
            flags |= nccl_ring::kReplayed;
        }
        if (caller != nullptr) {
            parent_id = parent.id;
            exchange_if(caller->finished_ns, std::uint64_t{0}, now);
            raise_to(caller->phase, number(Phase::finished));
        }
    }
    std::uint64_t sequence = event.sequence;
    if (kind == OperationKind::p2p &&
        !Communicators::count_p2p(place, event.root_or_peer, event.send, sequence)) {
        flags |= nccl_ring::kNoSequence;
    }
    if (call || kind == OperationKind::group) {
        flags |= nccl_ring::kNoSequence;
    }
    if (event.send) {
        flags |= nccl_ring::kSend;
    }
    const bool kernel = kind == OperationKind::collective || kind == OperationKind::p2p;
    if (kernel && event.version >= 3 && load(place.level) >= 2) {
        flags |= nccl_ring::kExpectsChannels;
        flags |= event.version == 3 ? std::uint32_t{nccl_ring::kHostTimes} : 0U;
        flags |= event.channels == 0 ? std::uint32_t{nccl_ring::kChannelsUnknown} : 0U;
    }

    Operation pushed_out{};
    Operation* operation = operations_.take(communicators_, now, pushed_out);
    if (pushed_out.kind != OperationKind::none) {
        if (CommunicatorPlace* its = communicators_.at(pushed_out.communicator_slot)) {
            add(its->entry->abandoned, std::uint64_t{1});
        }
        write(RecordKind::abandoned, pushed_out);
    }
    if (operation == nullptr) {
        add(file_.header->operations_dropped, std::uint64_t{1});
        return Handle{HandleKind::anchor, 0, 1}.encode();
    }
    Operation fresh{};
    fresh.communicator = load(place.entry->id);
    fresh.parent = parent_id;
    fresh.sequence = sequence;
    fresh.count = event.count;
    fresh.start_ns = now;
    fresh.gpu_start_ns = kNoGpuTime;
    fresh.phase = number(Phase::begun);
    fresh.flags = flags;
    fresh.rank = load(place.entry->rank);
    fresh.root_or_peer = event.root_or_peer;
    fresh.communicator_slot = place.slot;
    fresh.kind = kind;
    fresh.api_version = event.version;
    fresh.function = event.function;
    fresh.datatype = event.datatype;
    fresh.algorithm = event.algorithm;
    fresh.protocol = event.protocol;
    fresh.channels = event.channels;
    fresh.warps = event.warps;
    store_words(*operation, fresh);
    const std::uint64_t id = operations_.publish(*operation);
    if (kind == OperationKind::collective_call) {
        add(place.entry->calls, std::uint64_t{1});
        fresh.id = id;
        write(RecordKind::called, fresh);
    }
    return Handle{handle_kind(kind), 0, id}.encode();
}

void Observer::end_call(Operation& call, std::uint64_t now) {
    if (!exchange_if(call.end_ns, std::uint64_t{0}, now)) {
        return;  // NCCL 2.28 to 2.30 may stop a call again, long after
    }
    // What is captured is not enqueued now.
    raise_to(call.phase,
             number((load(call.flags) & nccl_ring::kGraphCaptured) != 0 ? Phase::finished : Phase::enqueued));
}

void Observer::end_enqueue(Operation& operation, std::uint64_t now) {
    if (!exchange_if(operation.end_ns, std::uint64_t{0}, now)) {
        return;
    }
    raise_to(operation.phase, number(Phase::enqueued));
    if (const CommunicatorPlace* place = communicators_.at(load(operation.communicator_slot))) {
        add(place->entry->enqueued, std::uint64_t{1});
    }
    write(RecordKind::enqueued, operation);
    if ((load(operation.flags) & nccl_ring::kExpectsChannels) == 0) {
        finish(operation, now);
    } else {
        finish_if_complete(operation, now);
    }
}

bool Observer::finish(Operation& operation, std::uint64_t now) {
    std::uint32_t phase = load(operation.phase);
    do {
        if (phase >= number(Phase::finished)) {
            return false;
        }
    } while (!std::atomic_ref<std::uint32_t>(operation.phase)
                  .compare_exchange_weak(phase, number(Phase::finished), std::memory_order_acq_rel));
    store(operation.finished_ns, now);
    if (const CommunicatorPlace* place = communicators_.at(load(operation.communicator_slot))) {
        add(place->entry->finished, std::uint64_t{1});
        raise_to(place->entry->last_finished_start_ns, load(operation.start_ns));
    }
    return true;
}

void Observer::finish_if_complete(Operation& operation, std::uint64_t now) {
    // The end of the enqueuing and that of the last channel come from two threads: one of them sees both.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::uint64_t seen = load(operation.channels_seen);
    const std::uint64_t done = load(operation.channels_done);
    const unsigned expected = load(operation.channels);
    const bool complete =
        expected != 0 ? static_cast<unsigned>(std::popcount(done)) >= expected : seen != 0 && seen == done;
    if (load(operation.end_ns) != 0 && complete && finish(operation, now)) {
        write(RecordKind::finished, operation);
    }
}

void* Observer::begin_kernel(CommunicatorPlace& place, const StartEvent& event, std::uint64_t now) {
    const Handle parent = Handle::decode(event.parent);
    Operation* operation = parent.kind == HandleKind::operation ? operations_.find(parent.id) : nullptr;
    if (operation == nullptr) {
        if (parent.kind != HandleKind::anchor) {
            add(file_.header->stale_handles, std::uint64_t{1});
        }
        return nullptr;
    }
    store(place.kernels_reported, true);
    exchange_if(operation->first_channel_ns, std::uint64_t{0}, now);
    raise_to(operation->phase, number(Phase::running));
    if (event.channel >= kChannels) {
        reject_time(*operation, &place);
        return nullptr;
    }
    std::uint64_t start = now;
    if (event.has_timer) {
        const bool plausible = place.clock.plausible_start(event.channel, event.timer, now);
        start = plausible ? event.timer : kNoGpuTime;
    }
    store(operations_.channel_start(*operation, event.channel), start);
    set_bits(operation->channels_seen, std::uint64_t{1} << event.channel);
    return Handle{HandleKind::kernel, event.channel, parent.id}.encode();
}

void Observer::reject_time(Operation& operation, CommunicatorPlace* place) {
    add(operation.channels_rejected, 1U);
    set_bits(operation.flags, std::uint32_t{nccl_ring::kTimesRejected});
    add(file_.header->timers_rejected, std::uint64_t{1});
    if (place != nullptr) {
        add(place->entry->timers_rejected, std::uint64_t{1});
    }
}

/// `timer` null: the callback brought no GPU time.
void Observer::take_channel_times(Operation& operation, unsigned channel, const std::uint64_t* timer,
                                  std::uint64_t now) {
    std::uint64_t& place_of_start = operations_.channel_start(operation, channel);
    const std::uint64_t start = std::atomic_ref<std::uint64_t>(place_of_start).exchange(0);
    if (start == 0) {
        return;  // taken already
    }
    CommunicatorPlace* place = communicators_.at(load(operation.communicator_slot));
    std::uint64_t stop = now;
    if ((load(operation.flags) & nccl_ring::kHostTimes) == 0) {
        if (start == kNoGpuTime || timer == nullptr || place == nullptr ||
            !place->clock.plausible_stop(channel, *timer, start, now)) {
            reject_time(operation, place);
            return;
        }
        stop = *timer;
        add(file_.header->timers_accepted, std::uint64_t{1});
        add(place->entry->timers_accepted, std::uint64_t{1});
        store(place->entry->gpu_offset_ns, place->clock.offset_with(stop, now));
    }
    lower_to(operation.gpu_start_ns, start);
    raise_to(operation.gpu_stop_ns, stop);
}

void Observer::end_kernel(Operation& operation, unsigned channel, std::uint64_t now) {
    take_channel_times(operation, channel, nullptr, now);
    set_bits(operation.channels_done, std::uint64_t{1} << (channel % kChannels));
    finish_if_complete(operation, now);
}

void* Observer::begin_network(const StartEvent& event, std::uint64_t now) {
    const Handle parent = Handle::decode(event.parent);
    Operation* operation = parent.kind == HandleKind::operation ? operations_.find(parent.id) : nullptr;
    if (operation == nullptr) {
        if (parent.kind != HandleKind::anchor) {
            add(file_.header->stale_handles, std::uint64_t{1});
        }
        return nullptr;
    }
    const std::uint64_t id = network_.begin(parent.id, event, now);
    if (id == 0) {
        add(file_.header->network_dropped, std::uint64_t{1});
        return nullptr;
    }
    add(operation->network_open, 1U);
    add(operation->network_operations, 1U);
    exchange_if(operation->network_start_ns, std::uint64_t{0}, now);
    return Handle{HandleKind::network, 0, id}.encode();
}

void* Observer::begin_step(const StartEvent& event) {
    const Handle parent = Handle::decode(event.parent);
    nccl_ring::NetworkOperation* entry =
        parent.kind == HandleKind::network ? network_.find(parent.id) : nullptr;
    if (entry == nullptr) {
        return nullptr;
    }
    const std::uint8_t place = NetworkTable::step_place(event.step);
    network_.begin_step(*entry, place);
    return Handle{HandleKind::step, place, parent.id}.encode();
}

void Observer::end_network(std::uint64_t id, std::uint64_t now) {
    nccl_ring::NetworkOperation* entry = network_.find(id);
    if (entry == nullptr || load(entry->stop_ns) != 0) {
        add(file_.header->stale_handles, std::uint64_t{1});
        return;
    }
    Operation* operation = operations_.find(load(entry->operation));
    network_.end(*entry, operation, now);
    if (operation == nullptr) {
        return;
    }
    raise_to(operation->network_stop_ns, now);
    const bool last = add(operation->network_open, ~0U) == 1;
    if (last && load(operation->phase) == number(Phase::finished)) {
        write(RecordKind::network, *operation);
    }
}

}  // namespace rankscope::nccl
