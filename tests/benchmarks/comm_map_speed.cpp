// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the map of a large communicator costs in time and memory: rings and trees of many channels, both ends of each
// connection of the network, and the connections of an all-to-all in some channels.
//
//   comm_map_speed [ranks] [channels] [channels of the all-to-all]

#include <remote/logs/facts/comm_map.h>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace rankscope::logs;

constexpr int kGpus = 8;

double cpu_s() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double used_mb() {
    const auto used = mallinfo2();
    return static_cast<double>(used.uordblks + used.hblkhd) / (1 << 20);
}

double most_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Both ends state a connection between machines.
void connect(Communicator& comm, int channel, int connection, int from, int to) {
    Edge edge;
    edge.from = from;
    edge.to = to;
    edge.channel = static_cast<std::uint16_t>(channel);
    edge.connection = static_cast<std::uint8_t>(connection);
    edge.line = static_cast<std::uint32_t>(comm.edges.size() + 1);
    if (from / kGpus == to / kGpus) {
        comm.edges.push_back(edge);
        return;
    }
    edge.transport = 1;
    edge.gpu_direct = true;
    edge.net_device = static_cast<std::int16_t>(channel % 4);
    for (const auto direction : {EdgeDirection::Receive, EdgeDirection::Send}) {
        edge.direction = direction;
        comm.edges.push_back(edge);
    }
}

RunFacts facts_of(int ranks, int channels, int all_to_all) {
    RunFacts facts;
    facts.transports = {"P2P/CUMEM/read", "NET/IB/0/GDRDMA"};
    facts.hosts.resize(static_cast<std::size_t>((ranks + kGpus - 1) / kGpus));
    facts.processes.resize(static_cast<std::size_t>(ranks));
    Communicator comm;
    comm.nranks = ranks;
    comm.members.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        facts.processes[at].host = at / kGpus;
        comm.members[at].rank = rank;
        comm.members[at].process = at;
    }
    for (int channel = 0; channel < channels; ++channel) {
        Ring ring;
        ring.channel = channel;
        ring.complete = true;
        for (int i = 0; i < ranks; ++i) {  // each channel leaves a machine by another GPU
            ring.ranks.push_back(i / kGpus * kGpus + (i + channel) % kGpus);
        }
        for (int i = 0; i < ranks; ++i) {
            const auto at = static_cast<std::size_t>(i);
            connect(comm, channel, 0, ring.ranks[at], ring.ranks[static_cast<std::size_t>((i + 1) % ranks)]);
            TreeNode node;
            node.channel = static_cast<std::uint16_t>(channel);
            node.rank = ring.ranks[at];
            node.up = i == 0 ? -1 : ring.ranks[static_cast<std::size_t>((i - 1) / 2)];
            for (int child = 0; child < 2; ++child) {
                const int down = 2 * i + 1 + child;
                node.down[static_cast<std::size_t>(child)] =
                    down < ranks ? ring.ranks[static_cast<std::size_t>(down)] : -1;
            }
            comm.trees.push_back(node);
            if (i > 0) {
                connect(comm, channel, 0, node.rank, node.up);
                connect(comm, channel, 0, node.up, node.rank);
            }
        }
        comm.rings.push_back(std::move(ring));
    }
    for (int channel = 0; channel < all_to_all; ++channel) {
        for (int rank = 0; rank < ranks; ++rank) {
            for (int peer = 0; peer < ranks; ++peer) {
                if (peer != rank) {
                    connect(comm, channel, 1, rank, peer);
                }
            }
        }
    }
    facts.communicators.push_back(std::move(comm));
    return facts;
}

}  // namespace

int main(int argc, char** argv) {
    const int ranks = argc > 1 ? std::atoi(argv[1]) : 1024;
    const int channels = argc > 2 ? std::atoi(argv[2]) : 32;
    const int all_to_all = argc > 3 ? std::atoi(argv[3]) : 0;
    const RunFacts facts = facts_of(ranks, channels, all_to_all);
    const double before_mb = used_mb();
    const double most_before_mb = most_mb();
    const double begun = cpu_s();
    const CommMap map = map_of(facts, facts.communicators.front());
    const double took = cpu_s() - begun;
    std::size_t ring_steps = 0;
    std::size_t tree_steps = 0;
    std::size_t other_steps = 0;
    for (const MapLink& link : map.links) {
        ring_steps += link.ring_channels.size();
        tree_steps += link.tree_channels.size();
        other_steps += link.other_channels.size();
    }
    const double map_mb = used_mb() - before_mb;
    std::printf(
        "%d ranks, %d channels, %zu edges: %.0f ms; %zu links with %zu ring, %zu tree, %zu other channels in "
        "%.0f MB, at most %.0f MB while it was made\n",
        ranks, channels, facts.communicators.front().edges.size(), took * 1e3, map.links.size(), ring_steps,
        tree_steps, other_steps, map_mb, most_mb() - most_before_mb);
    return 0;
}
