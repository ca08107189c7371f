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

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("index", self.index);
        visit("name", self.name);
        visit("memory_bytes", self.memory_bytes);
    }
};

struct InterfaceFacts {
    std::string name;
    std::vector<std::string> addresses;
    bool up = false;
    bool loopback = false;
    int mtu = 0;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("name", self.name);
        visit("addresses", self.addresses);
        visit("up", self.up);
        visit("loopback", self.loopback);
        visit("mtu", self.mtu);
    }
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

    /// Those of the JSON form, by their names in it.
    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("hostname", self.hostname);
        visit("os", self.os);
        visit("kernel", self.kernel);
        visit("machine", self.machine);
        visit("libc", self.libc);
        visit("user", self.user);
        visit("cpus", self.cpus);
        visit("cpu_model", self.cpu_model);
        visit("load1", self.load1);
        visit("memory_bytes", self.memory_bytes);
        visit("memory_free_bytes", self.memory_free_bytes);
        visit("cache_free_bytes", self.cache_free_bytes);
        visit("cache_dir", self.cache_dir);
        visit("gpus", self.gpus);
        visit("interfaces", self.interfaces);
        visit("sample", self.sample);
        visit("agent_version", self.agent_version);
        visit("connected_as", self.connected_as);
        visit("peer_address", self.peer_address);
        visit("desk_address", self.desk_address);
        visit("clock_offset_s", self.clock_offset_s);
        visit("connect_s", self.connect_s);
        visit("shell_s", self.shell_s);
        visit("round_trip_s", self.round_trip_s);
        visit("versions", self.versions);
    }
};

}  // namespace rankscope::inline nodes
