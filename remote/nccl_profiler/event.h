// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::nccl {

/// The begin of something, as any version of NCCL reports it: no pointer of NCCL but the handles that this plugin
/// gave out. Names are codes of base/nccl_ring/codes.h.
struct StartEvent {
    std::uint64_t type = 0;  ///< abi::EventType; others are ignored
    std::uint8_t version = 0;
    void* parent = nullptr;
    std::int32_t rank = 0;
    // Versions 1 to 3 say it with each operation instead of once.
    std::uint64_t communicator = 0;
    const char* communicator_name = nullptr;

    // An operation or a call.
    std::uint8_t function = 0;
    std::uint8_t datatype = 0;
    std::uint8_t algorithm = 0;
    std::uint8_t protocol = 0;
    std::uint8_t channels = 0;  ///< 0: not known
    std::uint8_t warps = 0;
    bool captured = false;
    std::uint64_t sequence = 0;
    std::uint64_t count = 0;
    std::int32_t root_or_peer = 0;

    // A channel of a kernel, or of the network.
    std::uint8_t channel = 0;
    bool has_timer = false;
    bool send = false;
    std::uint64_t timer = 0;
    std::int32_t pid = 0;
    std::int32_t steps = 0;
    std::int32_t step = 0;
    std::int32_t chunk_bytes = 0;
};

}  // namespace rankscope::nccl
