// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace rankscope::logs {

/// What a line of NCCL states.
enum class LineFact : std::uint8_t {
    None,          ///< nothing that is known
    Version,       ///< of NCCL
    Driver,        ///< version of the CUDA driver
    Bootstrap,     ///< interface and address of the bootstrap
    Network,       ///< network, its interfaces and devices
    Setting,       ///< a variable that NCCL found
    InitStart,     ///< a rank begins to set up a communicator
    Channel,       ///< a ring, or what connects two ranks
    Tree,          ///< the neighbours in trees, or how many channels there are
    Connected,     ///< a rank has all connections of rings or trees
    InitComplete,  ///< a rank has set up a communicator
    InitTimings,   ///< how long that took
    Comm,          ///< other lines of a communicator
    CommEnd,       ///< a communicator is destroyed or aborted
    Call,          ///< a collective call
    Tuning,        ///< algorithm and protocol of a call
};

inline constexpr std::size_t kLineFacts = static_cast<std::size_t>(LineFact::Tuning) + 1;

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::LineFact> {
    static constexpr auto names = std::to_array<const char*>(
        {"none", "version", "driver", "bootstrap", "network", "setting", "init-start", "channel", "tree",
         "connected", "init-complete", "init-timings", "comm", "comm-end", "call", "tuning"});
};

}  // namespace rankscope
