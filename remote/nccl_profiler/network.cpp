// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/abi.h>
#include <remote/nccl_profiler/handle.h>
#include <remote/nccl_profiler/network.h>

#include <unistd.h>

namespace rankscope::nccl {

namespace {

constexpr unsigned kLooks = 32;

}  // namespace

Wait wait_of(int state) {
    switch (state) {
        case abi::kSendRemFifoWait:
        case abi::kSendTransmitted:
        case abi::kRecvPosted:
        case abi::kStepSendPeerWait:
        case abi::kStepSendWait:
        case abi::kStepRecvWait:
            return Wait::peer;
        case abi::kSendPosted:
        case abi::kRecvTransmitted:
        case abi::kStepSendGpuWait:
        case abi::kStepRecvFlushWait:
        case abi::kStepRecvGpuWait:
            return Wait::gpu;
        default:
            return Wait::none;
    }
}

void NetworkTable::attach(const SharedFile& file) {
    entries_ = file.network;
    const std::uint64_t salt = (now_ns() / 1000 ^ static_cast<std::uint64_t>(getpid()) << 15U) & 0x3fffffff;
    for (std::uint32_t i = 0; i < kNetworkOperations; ++i) {
        local_[i] = Local{};
        local_[i].next_id = next_generation(salt << kSlotBits | i);
    }
}

NetworkTable::Local& NetworkTable::local(const nccl_ring::NetworkOperation& entry) {
    return local_[static_cast<std::size_t>(&entry - entries_)];
}

std::uint64_t NetworkTable::begin(std::uint64_t operation, const StartEvent& event, std::uint64_t now) {
    const std::uint64_t first = add(cursor_, std::uint64_t{1});
    for (unsigned look = 0; look < kLooks; ++look) {
        nccl_ring::NetworkOperation& entry = entries_[(first + look) % kNetworkOperations];
        Local& own = local(entry);
        if ((load(entry.id) != 0 && load(entry.stop_ns) == 0) || !exchange_if(own.claimed, 0U, 1U)) {
            continue;
        }
        if (load(entry.id) != 0 && load(entry.stop_ns) == 0) {
            store(own.claimed, 0U, std::memory_order_release);
            continue;
        }
        store(entry.id, std::uint64_t{0}, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_release);
        nccl_ring::NetworkOperation fresh{};
        fresh.operation = operation;
        fresh.start_ns = now;
        fresh.since_ns = now;
        fresh.state = abi::kProxyOpInProgress;
        fresh.peer = event.root_or_peer;
        fresh.steps = static_cast<std::uint32_t>(event.steps < 0 ? 0 : event.steps);
        fresh.channel = event.channel;
        fresh.send = event.send ? 1 : 0;
        fresh.chunk_bytes = static_cast<std::uint32_t>(event.chunk_bytes < 0 ? 0 : event.chunk_bytes);
        store_words(entry, fresh);
        store(own.whole.wait, Wait::none);
        for (Step& step : own.steps) {
            store(step.wait, Wait::none);
        }
        const std::uint64_t id = own.next_id;
        own.next_id = next_generation(id);
        store(entry.id, id, std::memory_order_release);
        store(own.claimed, 0U, std::memory_order_release);
        return id;
    }
    return 0;
}

nccl_ring::NetworkOperation* NetworkTable::find(std::uint64_t id) {
    const std::uint64_t slot = slot_of(id);
    if (id == 0 || slot >= kNetworkOperations || load(entries_[slot].id, std::memory_order_acquire) != id) {
        return nullptr;
    }
    return &entries_[slot];
}

void NetworkTable::change(Step& step, Wait wait, nccl_ring::Operation* operation, std::uint64_t now) {
    const Wait before = load(step.wait);
    const std::uint64_t since = load(step.since);
    if (operation != nullptr && now > since) {
        if (before == Wait::peer) {
            add(operation->peer_wait_ns, now - since);
        } else if (before == Wait::gpu) {
            add(operation->gpu_wait_ns, now - since);
        }
    }
    store(step.wait, wait);
    store(step.since, now);
}

void NetworkTable::change_state(nccl_ring::NetworkOperation& entry, int state,
                                nccl_ring::Operation* operation, std::uint64_t now) {
    change(local(entry).whole, wait_of(state), operation, now);
    store(entry.state, static_cast<std::uint32_t>(state));
    store(entry.since_ns, now);
}

void NetworkTable::begin_step(nccl_ring::NetworkOperation& entry, std::uint8_t place) {
    store(local(entry).steps[step_place(place)].wait, Wait::none);
}

void NetworkTable::change_step(nccl_ring::NetworkOperation& entry, std::uint8_t place, int state,
                               nccl_ring::Operation* operation, std::uint64_t now) {
    change(local(entry).steps[step_place(place)], wait_of(state), operation, now);
    store(entry.state, static_cast<std::uint32_t>(state));
    store(entry.since_ns, now);
}

void NetworkTable::end_step(nccl_ring::NetworkOperation& entry, std::uint8_t place,
                            nccl_ring::Operation* operation, std::uint64_t now) {
    change(local(entry).steps[step_place(place)], Wait::none, operation, now);
    add(entry.steps_done, 1U);
}

void NetworkTable::end(nccl_ring::NetworkOperation& entry, nccl_ring::Operation* operation,
                       std::uint64_t now) {
    change(local(entry).whole, Wait::none, operation, now);
    store(entry.stop_ns, now, std::memory_order_release);
}

}  // namespace rankscope::nccl
