// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/communicators.h>
#include <remote/nccl_profiler/handle.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace rankscope::nccl {
namespace {

/// More ranks than any communicator has. The pages come when they are used.
constexpr std::uint32_t kPeers = 1U << 17U;
constexpr std::size_t kPeerBytes = std::size_t{2} * kPeers * sizeof(std::uint32_t);

/// Zeroes, without a visible change of the address: a late callback of the communicator before may still use it.
bool reset_counts(std::uint32_t*& counts) {
    if (counts == nullptr) {
        void* memory = mmap(nullptr, kPeerBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            return false;
        }
        counts = static_cast<std::uint32_t*>(memory);
        return true;
    }
    return madvise(counts, kPeerBytes, MADV_DONTNEED) == 0;
}

}  // namespace

void Communicators::attach(const SharedFile& file) {
    // Another process's first generation is elsewhere: its numbers mean nothing here.
    const std::uint64_t salt = (now_ns() / 1000 ^ static_cast<std::uint64_t>(getpid()) << 17U) & 0x3fffffff;
    for (std::uint32_t i = 0; i < kCommunicators; ++i) {
        places_[i] = CommunicatorPlace{};
        places_[i].next_id = next_generation(salt << kSlotBits | i);
        places_[i].entry = &file.communicators[i];
        places_[i].slot = static_cast<std::uint16_t>(i);
    }
}

CommunicatorPlace* Communicators::claim() {
    for (;;) {
        CommunicatorPlace* best = nullptr;
        for (CommunicatorPlace& place : places_) {
            if (load(place.claimed) == 0 &&
                (best == nullptr || load(place.entry->closed_ns) < load(best->entry->closed_ns))) {
                best = &place;  // never used: 0
            }
        }
        if (best == nullptr || exchange_if(best->claimed, 0U, 1U)) {
            return best;
        }
    }
}

CommunicatorPlace* Communicators::open(const CommunicatorFacts& facts, std::uint32_t& problems) {
    CommunicatorPlace* place = claim();
    if (place == nullptr) {
        return nullptr;
    }
    if (!reset_counts(place->sends_and_receives)) {
        set_bits(problems, std::uint32_t{nccl_ring::kNoPointToPoint});
    }
    place->clock.reset();
    place->mask = facts.mask;
    place->kernels_reported = false;
    place->level = 0;
    place->chain_mask = 0;
    place->chain_mask_wanted = nullptr;
    nccl_ring::Communicator& entry = *place->entry;
    store(entry.generation, std::uint64_t{0}, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_release);
    nccl_ring::Communicator fresh{};
    fresh.id = facts.id;
    fresh.rank = facts.rank;
    fresh.ranks = facts.ranks;
    fresh.nodes = facts.nodes;
    fresh.state = nccl_ring::CommunicatorState::open;
    fresh.opened_ns = now_ns();
    fresh.last_ns = fresh.opened_ns;
    fresh.api_version = facts.version;
    if (facts.name != nullptr) {
        std::strncpy(fresh.name.data(), facts.name, fresh.name.size() - 1);
    }
    store_words(entry, fresh);
    const std::uint64_t id = place->next_id;
    place->next_id = next_generation(id);
    store(entry.generation, id >> kSlotBits, std::memory_order_release);
    store(place->id, id, std::memory_order_release);
    return place;
}

void* Communicators::context_of(const CommunicatorPlace& place) {
    return Handle{HandleKind::anchor, 0, load(place.id)}.encode();
}

CommunicatorPlace* Communicators::find(const void* context) {
    const Handle handle = Handle::decode(context);
    const std::uint64_t slot = slot_of(handle.id);
    if (handle.kind != HandleKind::anchor || handle.id == 0 || slot >= kCommunicators) {
        return nullptr;
    }
    CommunicatorPlace& place = places_[slot];
    return load(place.id, std::memory_order_acquire) == handle.id ? &place : nullptr;
}

void Communicators::close(CommunicatorPlace& place) {
    const std::uint64_t id = load(place.id);
    if (id == 0 || !exchange_if(place.id, id, std::uint64_t{0})) {
        return;
    }
    store(place.entry->closed_ns, now_ns());
    store(place.entry->state, nccl_ring::CommunicatorState::closed);
    store(place.claimed, 0U, std::memory_order_release);
}

bool Communicators::count_p2p(CommunicatorPlace& place, std::int32_t peer, bool send, std::uint64_t& before) {
    if (place.sends_and_receives == nullptr || peer < 0 || static_cast<std::uint32_t>(peer) >= kPeers) {
        return false;
    }
    before = add(place.sends_and_receives[static_cast<std::size_t>(peer) * 2 + (send ? 1 : 0)], 1U);
    return true;
}

}  // namespace rankscope::nccl
