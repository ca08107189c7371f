// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/comm_map.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr int kMostRanks = 1 << 20;

std::uint64_t pair_key(int channel, int from, int to) {
    return static_cast<std::uint64_t>(channel) << 48U |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(from) & 0xffffffU) << 24U |
           (static_cast<std::uint32_t>(to) & 0xffffffU);
}

void add_sorted(std::vector<int>& list, int value) {
    const auto at = std::lower_bound(list.begin(), list.end(), value);
    if (at == list.end() || *at != value) {
        list.insert(at, value);
    }
}

/// Which pairs of ranks the rings and trees of the log name.
class StatedPairs {
public:
    explicit StatedPairs(const Communicator& communicator) {
        for (const auto& ring : communicator.rings) {
            add_ring(ring);
        }
        for (const auto& node : communicator.trees) {
            for (const int other : {node.up, node.down[0], node.down[1], node.down[2]}) {
                if (other >= 0) {
                    trees_.insert(pair_key(node.channel, node.rank, other));
                    trees_.insert(pair_key(node.channel, other, node.rank));
                }
            }
        }
        // NCCL cuts the list of a ring: its other steps are the connections that no tree has.
        for (const auto& edge : communicator.edges) {
            if (open_.contains(edge.channel) && !in_tree(edge.channel, edge.from, edge.to)) {
                leaves_.insert(pair_key(edge.channel, edge.from, 0));
            }
        }
    }

    bool in_tree(int channel, int from, int to) const { return trees_.contains(pair_key(channel, from, to)); }

    bool in_ring(int channel, int from, int to) const {
        if (rings_.contains(pair_key(channel, from, to))) {
            return true;
        }
        if (!open_.contains(channel) || known_.contains(pair_key(channel, from, 0))) {
            return false;
        }
        return !in_tree(channel, from, to) ||
               (!leaves_.contains(pair_key(channel, from, 0)) && to == from + 1);
    }

private:
    void add_ring(const Ring& ring) {
        const auto count = ring.ranks.size();
        for (std::size_t i = 0; i + (ring.complete ? 0 : 1) < count && count > 1; ++i) {
            rings_.insert(pair_key(ring.channel, ring.ranks[i], ring.ranks[(i + 1) % count]));
            known_.insert(pair_key(ring.channel, ring.ranks[i], 0));
        }
        if (!ring.complete) {
            open_.insert(ring.channel);
        }
    }

    std::unordered_set<std::uint64_t> rings_, trees_;
    std::unordered_set<std::uint64_t> known_;   ///< ranks whose next one is stated
    std::unordered_set<std::uint64_t> leaves_;  ///< ranks with a connection that no tree has
    std::set<int> open_;                        ///< channels of rings that are cut
};

class MapBuilder {
public:
    MapBuilder(const RunFacts& facts, const Communicator& communicator)
        : facts_(facts), comm_(communicator), pairs_(communicator) {}

    CommMap build() {
        place_ranks();
        for (const auto& edge : comm_.edges) {
            add(edge);
        }
        add_unprinted();
        for (auto& [key, link] : links_) {
            map_.links.push_back(std::move(link));
        }
        std::set<int> channels;
        for (const auto& ring : comm_.rings) {
            channels.insert(ring.channel);
        }
        for (const auto& node : comm_.trees) {
            channels.insert(node.channel);
        }
        for (const auto& edge : comm_.edges) {
            channels.insert(edge.channel);
        }
        map_.channels.assign(channels.begin(), channels.end());
        return std::move(map_);
    }

private:
    using Key = std::tuple<int, int, TransportKind>;

    void place_ranks() {
        const int count = std::clamp(comm_.nranks, 0, kMostRanks);
        std::vector<std::size_t> host(static_cast<std::size_t>(count), MapNode::kUnknownHost);
        std::vector<std::size_t> member(host.size(), 0);
        std::map<std::size_t, std::pair<int, int>> range;  // first and last rank by host
        for (std::size_t i = 0; i < comm_.members.size(); ++i) {
            const int rank = comm_.members[i].rank;
            if (rank < 0 || rank >= count || comm_.members[i].process >= facts_.processes.size()) {
                continue;
            }
            const auto of = facts_.processes[comm_.members[i].process].host;
            host[static_cast<std::size_t>(rank)] = of;
            member[static_cast<std::size_t>(rank)] = i;
            auto& [first, last] = range.try_emplace(of, rank, rank).first->second;
            first = std::min(first, rank);
            last = std::max(last, rank);
        }
        std::vector<bool> seen(host.size());
        for (std::size_t rank = 0; rank < host.size(); ++rank) {
            seen[rank] = host[rank] != MapNode::kUnknownHost;
        }
        // A rank without a line is on the machine whose ranks surround it, if that is only one.
        for (std::size_t rank = 0; rank < host.size(); ++rank) {
            if (seen[rank]) {
                continue;
            }
            for (const auto& [of, ends] : range) {
                if (ends.first < static_cast<int>(rank) && static_cast<int>(rank) < ends.second) {
                    host[rank] = host[rank] == MapNode::kUnknownHost ? of : kSeveral;
                }
            }
            host[rank] = host[rank] == kSeveral ? MapNode::kUnknownHost : host[rank];
        }
        std::map<std::size_t, std::size_t> index;
        map_.node_of.assign(host.size(), 0);
        const auto place = [&](std::size_t rank) {
            const auto [at, is_new] = index.try_emplace(host[rank], map_.nodes.size());
            if (is_new) {
                map_.nodes.push_back({host[rank], {}});
            }
            map_.node_of[rank] = at->second;
        };
        if (!comm_.rings.empty()) {
            for (const int rank : comm_.rings.front().ranks) {
                if (rank >= 0 && rank < count &&
                    host[static_cast<std::size_t>(rank)] != MapNode::kUnknownHost) {
                    place(static_cast<std::size_t>(rank));
                }
            }
        }
        for (const bool known : {true, false}) {
            for (std::size_t rank = 0; rank < host.size(); ++rank) {
                if ((host[rank] != MapNode::kUnknownHost) == known) {
                    place(rank);
                }
            }
        }
        for (std::size_t rank = 0; rank < host.size(); ++rank) {
            map_.nodes[map_.node_of[rank]].ranks.push_back(
                {static_cast<int>(rank), seen[rank], member[rank]});
        }
    }

    bool valid(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < map_.node_of.size(); }

    void add(const Edge& edge) {
        if (!valid(edge.from) || !valid(edge.to)) {
            return;
        }
        const auto& name =
            edge.transport < facts_.transports.size() ? facts_.transports[edge.transport] : kNoName;
        auto kind = transport_kind(name, edge.gpu_direct);
        // Both ends state a connection of the network: it is direct if both are.
        if (kind == TransportKind::NetIb) {
            merge_ends(edge.from, edge.to, TransportKind::NetIbGdr, kind);
        } else if (kind == TransportKind::NetIbGdr &&
                   links_.contains(Key(edge.from, edge.to, TransportKind::NetIb))) {
            kind = TransportKind::NetIb;
        }
        auto& link = links_[Key(edge.from, edge.to, kind)];
        if (link.place.line == 0) {
            link.from = edge.from;
            link.to = edge.to;
            link.kind = kind;
            link.transport = name;
            link.place = {edge.file, edge.line};
        }
        if (edge.proxy_rank >= 0 && edge.proxy_rank != edge.from && edge.proxy_rank != edge.to) {
            link.proxy_rank = edge.proxy_rank;
        }
        if (edge.net_device >= 0) {
            (edge.direction == EdgeDirection::Receive ? link.receive_devices : link.send_devices)
                .insert(edge.net_device);
        }
        const bool ring = pairs_.in_ring(edge.channel, edge.from, edge.to);
        const bool tree = pairs_.in_tree(edge.channel, edge.from, edge.to);
        if (ring) {
            add_sorted(link.ring_channels, edge.channel);
        }
        if (tree) {
            add_sorted(link.tree_channels, edge.channel);
        }
        if (!ring && !tree) {
            add_sorted(link.other_channels, edge.channel);
        }
        stated_.insert(pair_key(edge.channel, edge.from, edge.to));
    }

    void merge_ends(int from, int to, TransportKind old_kind, TransportKind new_kind) {
        const auto old = links_.find(Key(from, to, old_kind));
        if (old == links_.end()) {
            return;
        }
        auto link = std::move(old->second);
        links_.erase(old);
        link.kind = new_kind;
        links_[Key(from, to, new_kind)] = std::move(link);
    }

    /// Steps of rings and trees whose connection no line has.
    void add_unprinted() {
        const auto link_of = [&](int from, int to) -> MapLink& {
            auto& link = links_[Key(from, to, TransportKind::Unknown)];
            link.from = from;
            link.to = to;
            return link;
        };
        for (const auto& ring : comm_.rings) {
            const auto count = ring.ranks.size();
            for (std::size_t i = 0; i + (ring.complete ? 0 : 1) < count && count > 1; ++i) {
                const int from = ring.ranks[i];
                const int to = ring.ranks[(i + 1) % count];
                if (valid(from) && valid(to) && !stated_.contains(pair_key(ring.channel, from, to))) {
                    add_sorted(link_of(from, to).ring_channels, ring.channel);
                }
            }
        }
        for (const auto& node : comm_.trees) {
            if (valid(node.rank) && valid(node.up) &&
                !stated_.contains(pair_key(node.channel, node.rank, node.up)) &&
                !stated_.contains(pair_key(node.channel, node.up, node.rank))) {
                add_sorted(link_of(node.rank, node.up).tree_channels, node.channel);
            }
        }
    }

    static constexpr std::size_t kSeveral = MapNode::kUnknownHost - 1;
    inline static const std::string kNoName;

    const RunFacts& facts_;
    const Communicator& comm_;
    StatedPairs pairs_;
    CommMap map_;
    std::map<Key, MapLink> links_;
    std::unordered_set<std::uint64_t> stated_;
};

}  // namespace

TransportKind transport_kind(std::string_view transport, bool gpu_direct) {
    if (transport.starts_with("P2P")) {
        return TransportKind::P2p;
    }
    if (transport.starts_with("SHM")) {
        return TransportKind::Shm;
    }
    if (transport.starts_with("COLLNET")) {
        return TransportKind::CollNet;
    }
    if (transport.starts_with("NET/IB")) {
        return gpu_direct ? TransportKind::NetIbGdr : TransportKind::NetIb;
    }
    if (transport.starts_with("NET/Socket")) {
        return TransportKind::NetSocket;
    }
    return transport.starts_with("NET/") ? TransportKind::NetOther : TransportKind::Unknown;
}

bool is_network(TransportKind kind) {
    return kind == TransportKind::NetIb || kind == TransportKind::NetIbGdr ||
           kind == TransportKind::NetSocket || kind == TransportKind::NetOther ||
           kind == TransportKind::CollNet;
}

CommMap map_of(const RunFacts& facts, const Communicator& communicator) {
    return MapBuilder(facts, communicator).build();
}

}  // namespace rankscope::logs
