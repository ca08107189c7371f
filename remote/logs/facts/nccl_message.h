// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/run_facts.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::logs {

// The messages of NCCL 2.4 to 2.30, without their prefix → values. Each gives nothing for another message.

/// "[0]ib0:10.148.0.76<0> [1]ib1:…" or "eth0:10.20.0.11<0>".
std::vector<InterfaceAddress> interfaces_of(std::string_view list);
/// "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]".
std::vector<IbDevice> ib_devices_of(std::string_view list);
/// "NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 …" of 2.27.
std::optional<IbDevice> ib_device_of(std::string_view message);

enum class CommEvent { None, InitStart, InitComplete, Destroy, Abort };

/// "ncclCommInitRank comm 0x831fed0 rank 0 nranks 2 … - Init START" and its relatives.
struct CommLine {
    CommEvent event = CommEvent::None;
    std::uint64_t pointer = 0;
    std::uint64_t parent = 0;
    std::string_view id;
    int rank = -1, nranks = -1, nnodes = -1, local_ranks = -1, local_rank = -1;
    int cuda_device = -1, nvml_device = -1, color = -1;
    std::int64_t bus_id = -1;
};
std::optional<CommLine> comm_line(std::string_view message);

/// "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0/GDRDMA", "Ring 00 : 0[0] -> 1[1] via P2P/IPC" of 2.4.
struct EdgeLine {
    Edge edge;                   ///< without the transport
    std::string_view transport;  ///< "NET/Socket", "P2P/CUMEM"
    std::string_view suffix;     ///< "/read"
};
std::optional<EdgeLine> edge_line(std::string_view message);

/// "Channel 00/12 :    0   1   2   3".
struct RingList {
    int channel = 0;
    int channels = 0;
    std::vector<int> ranks;
};
std::optional<RingList> ring_list(std::string_view message);

/// "Ring 00 : 7 -> 0 -> 1".
struct RingHop {
    int channel = 0;
    int previous = 0, rank = 0, next = 0;
};
std::optional<RingHop> ring_hop(std::string_view message);

/// "Trees [0] 1/-1/-1->0->-1 [1] …" and "Tree 0 : -1 -> 0 -> 1/-1/-1".
std::vector<TreeNode> tree_nodes(std::string_view message);

struct ChannelCounts {
    int collective = 0, collnet = 0, nvls = 0, p2p = 0, p2p_per_peer = 0;
};
/// "2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer".
std::optional<ChannelCounts> channel_counts(std::string_view message);

/// "NCCL_SOCKET_IFNAME set by environment to eth0".
std::optional<std::pair<std::string_view, std::string_view>> setting_of(std::string_view message);

/// "NCCL version 2.28.9+cuda12.9".
std::optional<VersionFact> version_of(std::string_view message);

/// "AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}".
std::optional<TuningFact> tuning_of(std::string_view message);

/// "AllReduce: opCount 1f sendbuff 0x7f… comm 0x55… [nranks=8] stream 0x…".
struct CallLine {
    std::int64_t op_count = -1;
    std::uint64_t comm = 0;
};
std::optional<CallLine> call_line(std::string_view message);

/// "Init timings - ncclCommInitRank: rank 0 nranks 2 total 0.41 (kernels 0.10, alloc 0.02, …)".
struct InitTimings {
    int rank = -1;
    double total = kNoTime;
    std::vector<std::pair<std::string_view, double>> parts;
};
std::optional<InitTimings> init_timings(std::string_view message);

}  // namespace rankscope::logs
