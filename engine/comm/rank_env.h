// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/transport.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rankscope::engine {

/// What the launcher sets for a rank, in the variables that torchrun uses too.
struct RankEnv {
    int rank = 0;
    int local_rank = 0;
    int world_size = 1;
    int local_world_size = 1;
    std::string master_addr = "127.0.0.1";
    std::uint16_t master_port = 29500;
    std::string token;             ///< RANKSCOPE_TOKEN; empty: none
    std::string socket_interface;  ///< GLOO_SOCKET_IFNAME; empty: chosen by the route to MASTER_ADDR

    Transport transport = Transport::automatic;  ///< RANKSCOPE_TRANSPORT: auto, or gloo (no shared memory)
    /// RANKSCOPE_HOST_ID: ranks that name the same one try to share memory; empty: detected. (As
    /// NCCL_HOSTID: to make one machine look like several.)
    std::string host{};
    /// RANKSCOPE_HEARTBEAT_S: a rank that gives no sign of life for so long is lost; 0: never. Below it, a cut
    /// of up to half as long costs nothing (see PeerWatchOptions).
    std::chrono::milliseconds heartbeat{75000};
    /// RANKSCOPE_COLLECTIVE_TIMEOUT_S: a collective that takes longer ends the run; 0: never.
    std::chrono::milliseconds collective_timeout{600000};

    /// The watchdog names the missing rank after collective_timeout; the transports' own time-outs are there for the
    /// case that it cannot.
    std::chrono::milliseconds last_resort() const {
        using namespace std::chrono_literals;
        constexpr std::chrono::milliseconds kNever = 24h * 365;
        return collective_timeout == 0ms ? kNever : collective_timeout + 60s;
    }
};

using EnvLookup = std::function<std::optional<std::string>(const std::string&)>;

/// Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT and what is named above.
/// None set: a world of one. Throws ConfigError naming the variable, its value and what would be right.
RankEnv read_rank_env(const EnvLookup& lookup);
RankEnv read_rank_env();

}  // namespace rankscope::engine
