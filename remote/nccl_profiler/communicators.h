// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/gpu_clock.h>
#include <remote/nccl_profiler/shared_file.h>

#include <array>
#include <cstdint>

namespace rankscope::nccl {

struct CommunicatorFacts {
    std::uint64_t id = 0;  ///< 0: comes with the first operation (versions 1 to 3)
    const char* name = nullptr;
    std::int32_t nodes = 0;
    std::int32_t ranks = 0;
    std::int32_t rank = -1;
    std::uint32_t version = 0;
    int* mask = nullptr;  ///< NCCL's, the same for the whole process; may be written at any time
};

/// What the process keeps of a communicator beside the entry in the shared file.
struct CommunicatorPlace {
    std::uint64_t id = 0;       ///< of the living one; 0: none
    std::uint64_t next_id = 0;  ///< of the next one here
    std::uint32_t claimed = 0;
    std::uint32_t level = 0;  ///< the level that `mask` was written for
    bool kernels_reported = false;
    int* mask = nullptr;
    int chain_mask = 0;                ///< what `mask` was written with
    int* chain_mask_wanted = nullptr;  ///< of the user's own plugin, which may write it at any time
    std::uint32_t* sends_and_receives = nullptr;  ///< counts per peer and direction
    GpuClock clock;
    nccl_ring::Communicator* entry = nullptr;
    std::uint16_t slot = 0;
};

/// The communicators of the process. A context is the number of one: another process's (PXN) or an old one is not
/// found. Places are free again after close; the entry stays readable until its place is needed.
class Communicators {
public:
    void attach(const SharedFile& file);

    /// Null when all places hold living communicators.
    CommunicatorPlace* open(const CommunicatorFacts& facts, std::uint32_t& problems);
    static void* context_of(const CommunicatorPlace& place);
    CommunicatorPlace* find(const void* context);
    CommunicatorPlace* at(std::uint32_t slot) { return slot < kCommunicators ? &places_[slot] : nullptr; }
    void close(CommunicatorPlace& place);

    /// How many sends to, or receives from this peer came before; false when it cannot be known.
    static bool count_p2p(CommunicatorPlace& place, std::int32_t peer, bool send, std::uint64_t& before);

private:
    CommunicatorPlace* claim();

    std::array<CommunicatorPlace, kCommunicators> places_;
};

}  // namespace rankscope::nccl
