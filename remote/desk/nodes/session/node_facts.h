// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

struct GpuFacts {
    int index = 0;
    std::string name;
    std::uint64_t memory_bytes = 0;
};

struct InterfaceFacts {
    std::string name;
    std::vector<std::string> addresses;
    bool up = false;
    bool loopback = false;
    int mtu = 0;
};

/// A login shell that takes longer, seconds, is named as slow.
inline constexpr double kSlowShell = 2;

/// What a probe found on a node. Sizes in bytes.
struct NodeFacts {
    std::string hostname;
    std::string os;      ///< PRETTY_NAME of os-release
    std::string kernel;  ///< uname -r
    std::string machine;
    std::string libc;
    std::string user;
    int cpus = 0;
    std::string cpu_model;
    double load1 = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_free_bytes = 0;
    std::uint64_t cache_free_bytes = 0;
    std::string cache_dir;
    std::vector<GpuFacts> gpus;
    std::vector<InterfaceFacts> interfaces;
    std::map<std::string, double> sample;  ///< of that moment: remote/wire/sample_keys.h
    std::string agent_version;
    std::string connected_as;                     ///< "trainer@10.0.0.11:22", or "this computer"
    std::string peer_address;                     ///< the address the desk reached it at
    std::string desk_address;                     ///< this machine's address as seen on that connection
    double clock_offset_s = 0;                    ///< node's clock minus desk's
    double connect_s = 0;                         ///< time to connect and authenticate
    double shell_s = 0;                           ///< time until the login shell there ran the first command
    double round_trip_s = 0;                      ///< of one request to the agent
    std::map<std::string, std::string> versions;  ///< that a preflight found: node/version_names.h
    std::int64_t probed_us = 0;                   ///< when, µs since 1970 by the desk's clock; 0: not known
};

}  // namespace rankscope::inline nodes
