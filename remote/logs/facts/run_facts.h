// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/read/line_place.h>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::logs {

// What the lines of a run say about it, without a judgement. Times as LogLine::time; indexes count from 0; a place
// with line 0 was never printed.

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

struct InterfaceAddress {
    std::string interface;
    std::string address;  ///< without port

    bool operator==(const InterfaceAddress&) const = default;
};

struct IbDevice {
    int index = -1;    ///< NCCL's number of it
    std::string name;  ///< "mlx5_0"
    int port = 0;
    std::string link = {};  ///< "IB", "RoCE"

    bool operator==(const IbDevice&) const = default;
};

/// A machine, by the name that its lines have. All values are those of any of its processes, each once.
struct HostFacts {
    std::string name;
    std::vector<InterfaceAddress> bootstrap;  ///< in NCCL's order: it takes the first
    std::vector<InterfaceAddress> sockets;    ///< of NET/Socket: it takes all
    std::vector<IbDevice> ib_devices;
    InterfaceAddress out_of_band;    ///< over which NET/IB exchanges its addresses
    std::set<std::string> networks;  ///< "Socket", "IB", "AWS Libfabric"
};

struct ProcessFacts {
    std::size_t host = 0;  ///< index into RunFacts::hosts
    std::int64_t pid = -1;
    std::string nccl_version;  ///< "2.28.9"; empty: not printed by this process
    int cuda_driver = 0;       ///< 12040; 0: not printed
    std::uint64_t lines = 0;   ///< of NCCL
    std::uint64_t warnings = 0;
    LinePlace first, last;  ///< of NCCL's lines
    double first_time = kNoTime, last_time = kNoTime;
};

/// A line "NCCL version". Only from 2.24 on with a process before it.
struct VersionFact {
    std::string nccl;  ///< "2.28.9"
    std::string cuda;  ///< "12.9"; empty: not printed
    LinePlace place;
};

/// A variable that NCCL says it found, and who said so.
struct SettingFact {
    std::string name, value;
    LinePlace place;                     ///< the first
    std::vector<std::size_t> processes;  ///< indexes into RunFacts::processes, in order
};

/// A rank of a communicator.
struct CommMember {
    std::size_t process = 0;  ///< index into RunFacts::processes
    std::uint64_t pointer = 0;
    int rank = -1;
    int cuda_device = -1, nvml_device = -1;
    std::int64_t bus_id = -1;
    int local_rank = -1, local_ranks = -1;
    LinePlace start = {}, complete = {};  ///< Init START (2.18 and newer), Init COMPLETE
    double start_time = kNoTime, complete_time = kNoTime;
    double connected_time = kNoTime;  ///< of the latest "Connected all rings" or "Connected all trees"
    LinePlace destroyed = {}, aborted = {};
    double init_seconds = kNoTime;  ///< "Init timings … total"
    std::map<std::string, double> init_parts = {};
    std::uint64_t calls = 0;  ///< lines of collective calls (subsystem COLL)
    std::int64_t last_op_count = -1;
};

enum class EdgeDirection : std::uint8_t { Both, Send, Receive };

/// A connection that a rank set up.
struct Edge {
    std::int32_t from = -1, to = -1;
    std::uint16_t channel = 0;
    std::uint8_t connection = 0;
    EdgeDirection direction = EdgeDirection::Both;  ///< who says it; Both: transports inside a machine
    std::uint16_t transport = 0;                    ///< index into RunFacts::transports
    std::int16_t net_device = -1;
    std::int32_t proxy_rank = -1;  ///< PXN: the rank whose NIC it takes
    bool gpu_direct = false;
    std::uint32_t file = 0, line = 0;  ///< its LinePlace, in less room: there may be millions
};

struct TreeNode {
    std::int32_t rank = -1, up = -1;
    std::array<std::int32_t, 3> down{-1, -1, -1};
    std::uint16_t channel = 0;
};

struct Ring {
    int channel = 0;
    std::vector<int> ranks;
    bool complete = false;  ///< all ranks; NCCL cuts its list
};

/// "AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE".
struct TuningFact {
    std::string function;  ///< empty: versions before 2.23
    std::uint64_t bytes = 0;
    std::string algorithm, protocol;  ///< names, also where NCCL prints numbers
    int first_channel = -1, last_channel = -1;
    std::uint64_t times = 0;
};

struct Communicator {
    std::string id;  ///< "0xcfd2979cb3ba7807"; empty before 2.18
    int nranks = 0;
    int nnodes = 0;  ///< as printed (2.21 and newer), else the hosts if all ranks were seen; 0: unknown
    std::uint64_t parent = 0;  ///< pointer of the communicator that was split; 0: none
    int color = -1;
    std::vector<CommMember> members;  ///< by rank, those that printed something
    int channels = 0;                 ///< for collectives
    int nvls_channels = 0, collnet_channels = 0, p2p_channels = 0, p2p_channels_per_peer = 0;
    std::vector<Ring> rings;  ///< by channel
    std::vector<TreeNode> trees;
    std::vector<Edge> edges;
    std::uint64_t edges_left_out = 0;
    std::vector<TuningFact> tuning;

    std::vector<int> missing_ranks() const;  ///< that printed nothing of it
};

struct RunFacts {
    std::vector<HostFacts> hosts;
    std::vector<ProcessFacts> processes;
    std::vector<VersionFact> versions;  ///< each version once
    std::vector<SettingFact> settings;
    std::vector<Communicator> communicators;  ///< in the order of their first line
    std::vector<std::string> transports;      ///< "NET/Socket", "P2P/CUMEM/read"; see Edge
    std::uint64_t nccl_lines = 0;
    std::uint64_t unknown_lines = 0;  ///< of NCCL, that look as if they stated facts: a newer dialect
    std::string torch_version;

    /// The transports that a communicator uses, sorted.
    std::set<std::string> transports_of(const Communicator& communicator) const;
};

nlohmann::json to_json(const RunFacts& facts);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::EdgeDirection> {
    static constexpr auto names = std::to_array<const char*>({"both", "send", "receive"});
};

}  // namespace rankscope
