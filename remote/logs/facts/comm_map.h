// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/facts/run_facts.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// How bytes travel between two ranks.
enum class TransportKind {
    P2p,        ///< GPU to GPU: NVLink or PCIe
    Shm,        ///< through the host's memory
    NetIbGdr,   ///< InfiniBand or RoCE, from and into the GPU's memory
    NetIb,      ///< the same through the host's memory
    NetSocket,  ///< TCP
    NetOther,   ///< another network plugin
    CollNet,    ///< the network reduces
    Unknown,    ///< the log states the connection and not its transport
};

/// Of a name as RunFacts::transports has it.
TransportKind transport_kind(std::string_view transport, bool gpu_direct);
/// Between machines.
bool is_network(TransportKind kind);

/// All connections from one rank to another of one kind.
struct MapLink {
    int from = -1, to = -1;
    TransportKind kind = TransportKind::Unknown;
    std::string transport;                           ///< as NCCL names it; empty: not printed
    std::vector<int> ring_channels;                  ///< of rings that go this way, sorted
    std::vector<int> tree_channels;                  ///< of trees that have this pair, sorted
    std::vector<int> other_channels;                 ///< of connections that are neither, sorted
    std::vector<int> send_devices, receive_devices;  ///< of the network, sorted
    int proxy_rank = -1;                             ///< PXN: whose NIC is used
    LinePlace place;                                 ///< of the first line that states it; line 0: none
};

struct MapRank {
    int rank = -1;
    bool seen = false;       ///< it printed something of the communicator
    std::size_t member = 0;  ///< index into Communicator::members, if seen
};

/// A machine and its ranks of one communicator.
struct MapNode {
    static constexpr std::size_t kUnknownHost = static_cast<std::size_t>(-1);

    std::size_t host = kUnknownHost;  ///< index into RunFacts::hosts
    std::vector<MapRank> ranks;       ///< sorted; with the missing ones that must be between them
};

/// A communicator as a picture shows it.
struct CommMap {
    std::vector<MapNode> nodes;  ///< in the order of the first ring; ranks that printed nothing come last
    std::vector<std::size_t> node_of;  ///< of each rank, index into nodes
    std::vector<MapLink> links;        ///< sorted by from, to, kind
    std::vector<int> channels;         ///< that anything was stated of, sorted
};

/// Time and memory grow with the edges: at 1,024 ranks and 32 channels these are hundreds of thousands, with an
/// all-to-all millions.
CommMap map_of(const RunFacts& facts, const Communicator& communicator);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::TransportKind> {
    static constexpr auto names = std::to_array<const char*>(
        {"p2p", "shm", "net-ib-gdr", "net-ib", "net-socket", "net-other", "collnet", "unknown"});
};

}  // namespace rankscope
