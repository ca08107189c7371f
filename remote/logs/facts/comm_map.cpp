// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/comm_map.h>

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr int kMostMappedRanks = 1 << 20;

void add_sorted(std::vector<int>& list, int value) {
    const auto at = std::lower_bound(list.begin(), list.end(), value);
    if (at == list.end() || *at != value) {
        list.insert(at, value);
    }
}

/// A step of a ring or a tree: sorted by its ranks, so that the steps of a pair are side by side.
struct Step {
    int from = -1, to = -1, channel = 0;

    auto operator<=>(const Step&) const = default;  // NOLINT(modernize-use-nullptr): false
};

/// Steps that the log states, and which of them a connection has. Pairs are asked for in ascending order.
class Steps {
public:
    void add(const Step& step) { all_.push_back(step); }
    void sort() {
        std::sort(all_.begin(), all_.end());
        all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
        stated_.assign(all_.size(), false);
    }
    /// has() is about this pair from now on.
    void go_to(int from, int to) {
        const auto before = [](const Step& step, const std::pair<int, int>& wanted) {
            return std::pair(step.from, step.to) < wanted;
        };
        while (begin_ < all_.size() && before(all_[begin_], {from, to})) {
            ++begin_;
        }
        end_ = std::max(begin_, end_);
        while (end_ < all_.size() && all_[end_].from == from && all_[end_].to == to) {
            ++end_;
        }
    }
    /// Ascending from the start again.
    void rewind() { begin_ = end_ = 0; }
    bool has(int channel) const { return find(channel) < end_; }
    /// There is a connection in this channel.
    void state(int channel) {
        if (const std::size_t at = find(channel); at < end_) {
            stated_[at] = true;
        }
    }
    bool stated(const Step& step) const {
        const auto at = std::lower_bound(all_.begin(), all_.end(), step);
        return at != all_.end() && *at == step && stated_[static_cast<std::size_t>(at - all_.begin())];
    }

private:
    /// end_: none.
    std::size_t find(int channel) const {
        std::size_t at = begin_;
        while (at < end_ && all_[at].channel < channel) {
            ++at;
        }
        return at < end_ && all_[at].channel == channel ? at : end_;
    }

    std::vector<Step> all_;
    std::vector<bool> stated_;
    std::size_t begin_ = 0;  ///< of the pair
    std::size_t end_ = 0;
};

/// Calls `step(from, to)` for each step that the list of a ring states.
template <typename Action>
void for_steps(const Ring& ring, Action step) {
    const auto count = ring.ranks.size();
    for (std::size_t i = 0; i + (ring.complete ? 0 : 1) < count && count > 1; ++i) {
        step(ring.ranks[i], ring.ranks[(i + 1) % count]);
    }
}

class MapBuilder {
public:
    MapBuilder(const RunFacts& facts, const Communicator& communicator)
        : facts_(facts), comm_(communicator) {}

    CommMap build() {
        place_ranks();
        collect_steps();
        collect_channels();
        add_edges();
        add_unprinted();
        return std::move(map_);
    }

private:
    static constexpr std::size_t kChannels =
        std::numeric_limits<decltype(Edge::channel)>::max() + std::size_t{1};

    bool valid(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < map_.node_of.size(); }

    void collect_steps() {
        for (const auto& ring : comm_.rings) {
            for_steps(ring, [&](int from, int to) {
                rings_.add({from, to, ring.channel});
                if (!ring.complete) {
                    known_.emplace_back(from, ring.channel);
                }
            });
            if (!ring.complete) {
                open_.push_back(ring.channel);
            }
        }
        for (const auto& node : comm_.trees) {
            for (const int other : {node.up, node.down[0], node.down[1], node.down[2]}) {
                if (other >= 0) {
                    trees_.add({node.rank, other, node.channel});
                    trees_.add({other, node.rank, node.channel});
                }
            }
        }
        // A channel may have a second ring that is complete.
        for (const auto& ring : comm_.rings) {
            if (ring.complete && contains(open_, ring.channel)) {
                for_steps(ring, [&](int from, int) { known_.emplace_back(from, ring.channel); });
            }
        }
        rings_.sort();
        trees_.sort();
        std::sort(open_.begin(), open_.end());
        std::sort(known_.begin(), known_.end());
    }

    template <typename Value>
    static bool contains(const std::vector<Value>& list, const Value& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    void collect_channels() {
        std::vector<bool> of_edges(kChannels, false);
        for (const auto& edge : comm_.edges) {
            of_edges[edge.channel] = true;
        }
        for (const auto& node : comm_.trees) {
            of_edges[node.channel] = true;
        }
        for (std::size_t channel = 0; channel < of_edges.size(); ++channel) {
            if (of_edges[channel]) {
                map_.channels.push_back(static_cast<int>(channel));
            }
        }
        for (const auto& ring : comm_.rings) {
            add_sorted(map_.channels, ring.channel);
        }
    }

    /// Indexes of the edges by from, to and their order in the log.
    std::vector<std::uint32_t> sorted_edges() const {
        std::vector<std::uint32_t> begin(map_.node_of.size() + 1, 0);
        const auto wanted = [this](const Edge& edge) { return valid(edge.from) && valid(edge.to); };
        for (const auto& edge : comm_.edges) {
            begin[static_cast<std::size_t>(wanted(edge) ? edge.from + 1 : 0)] += wanted(edge) ? 1U : 0U;
        }
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<std::uint32_t> order(begin.back());
        std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t i = 0; i < comm_.edges.size(); ++i) {
            if (wanted(comm_.edges[i])) {
                order[next[static_cast<std::size_t>(comm_.edges[i].from)]++] = static_cast<std::uint32_t>(i);
            }
        }
        for (std::size_t rank = 0; rank + 1 < begin.size(); ++rank) {
            std::sort(order.begin() + begin[rank], order.begin() + begin[rank + 1],
                      [this](std::uint32_t left, std::uint32_t right) {
                          return std::pair(comm_.edges[left].to, left) <
                                 std::pair(comm_.edges[right].to, right);
                      });
        }
        return order;
    }

    void add_edges() {
        const std::vector<std::uint32_t> order = sorted_edges();
        const auto edge = [&](std::size_t at) -> const Edge& { return comm_.edges[order[at]]; };
        find_leaves(order);
        std::size_t pairs = 0;
        for (std::size_t at = 0; at < order.size(); ++at) {
            const bool same = at > 0 && edge(at).from == edge(at - 1).from && edge(at).to == edge(at - 1).to;
            pairs += same ? 0U : 1U;
        }
        map_.links.reserve(pairs);  // and a few for pairs with several kinds
        rings_.rewind();
        trees_.rewind();
        for (std::size_t at = 0; at < order.size();) {
            const int from = edge(at).from;
            const int to = edge(at).to;
            rings_.go_to(from, to);
            trees_.go_to(from, to);
            const std::size_t first = map_.links.size();
            for (; at < order.size() && edge(at).from == from && edge(at).to == to; ++at) {
                add(edge(at), first);
            }
            std::sort(map_.links.begin() + static_cast<std::ptrdiff_t>(first), map_.links.end(),
                      [](const MapLink& left, const MapLink& right) { return left.kind < right.kind; });
        }
    }

    /// NCCL cuts the list of a ring: its other steps are the connections that no tree has.
    void find_leaves(const std::vector<std::uint32_t>& order) {
        if (open_.empty()) {
            return;
        }
        for (const std::uint32_t index : order) {
            const Edge& edge = comm_.edges[index];
            if (is_open(edge.channel)) {
                trees_.go_to(edge.from, edge.to);
                if (!trees_.has(edge.channel)) {
                    leaves_.emplace_back(edge.from, edge.channel);
                }
            }
        }
        std::sort(leaves_.begin(), leaves_.end());
        leaves_.erase(std::unique(leaves_.begin(), leaves_.end()), leaves_.end());
    }

    bool is_open(int channel) const { return std::binary_search(open_.begin(), open_.end(), channel); }

    bool in_ring(const Edge& edge, bool in_tree) const {
        if (rings_.has(edge.channel)) {
            return true;
        }
        const std::pair<int, int> rank(edge.from, edge.channel);
        if (!is_open(edge.channel) || std::binary_search(known_.begin(), known_.end(), rank)) {
            return false;
        }
        return !in_tree ||
               (!std::binary_search(leaves_.begin(), leaves_.end(), rank) && edge.to == edge.from + 1);
    }

    void place_ranks() {
        const int count = std::clamp(comm_.nranks, 0, kMostMappedRanks);
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

    /// The link of this kind among those of the edge's pair, which begin at `first`.
    MapLink& link_of(const Edge& edge, TransportKind kind, std::size_t first) {
        for (std::size_t i = first; i < map_.links.size(); ++i) {
            if (map_.links[i].kind == kind) {
                return map_.links[i];
            }
        }
        MapLink& link = map_.links.emplace_back();
        link.from = edge.from;
        link.to = edge.to;
        link.kind = kind;
        link.transport = edge.transport < facts_.transports.size() ? facts_.transports[edge.transport] : "";
        link.place = {edge.file, edge.line};
        return link;
    }

    void add(const Edge& edge, std::size_t first) {
        const std::string_view name = edge.transport < facts_.transports.size()
                                          ? facts_.transports[edge.transport]
                                          : std::string_view();
        auto kind = transport_kind(name, edge.gpu_direct);
        // Both ends state a connection of the network: it is direct if both are.
        for (std::size_t i = first; i < map_.links.size(); ++i) {
            if (kind == TransportKind::NetIb && map_.links[i].kind == TransportKind::NetIbGdr) {
                map_.links[i].kind = kind;
            } else if (kind == TransportKind::NetIbGdr && map_.links[i].kind == TransportKind::NetIb) {
                kind = TransportKind::NetIb;
            }
        }
        MapLink& link = link_of(edge, kind, first);
        if (edge.proxy_rank >= 0 && edge.proxy_rank != edge.from && edge.proxy_rank != edge.to) {
            link.proxy_rank = edge.proxy_rank;
        }
        if (edge.net_device >= 0) {
            add_sorted(edge.direction == EdgeDirection::Receive ? link.receive_devices : link.send_devices,
                       edge.net_device);
        }
        const bool tree = trees_.has(edge.channel);
        const bool ring = in_ring(edge, tree);
        rings_.state(edge.channel);
        trees_.state(edge.channel);
        if (ring) {
            add_sorted(link.ring_channels, edge.channel);
        }
        if (tree) {
            add_sorted(link.tree_channels, edge.channel);
        }
        if (!ring && !tree) {
            add_sorted(link.other_channels, edge.channel);
        }
    }

    /// Steps of rings and trees whose connection no line has.
    void add_unprinted() {
        const auto printed = static_cast<std::ptrdiff_t>(map_.links.size());
        std::vector<Step> rings;
        std::vector<Step> trees;
        for (const auto& ring : comm_.rings) {
            for_steps(ring, [&](int from, int to) {
                const Step step{from, to, ring.channel};
                if (valid(from) && valid(to) && !rings_.stated(step)) {
                    rings.push_back(step);
                }
            });
        }
        for (const auto& node : comm_.trees) {
            const Step up{node.rank, node.up, node.channel};
            if (valid(node.rank) && valid(node.up) && !trees_.stated(up) &&
                !trees_.stated({node.up, node.rank, node.channel})) {
                trees.push_back(up);
            }
        }
        std::map<std::pair<int, int>, MapLink> fresh;
        const auto add_all = [&](const std::vector<Step>& steps, std::vector<int> MapLink::*channels) {
            for (const Step& step : steps) {
                MapLink* link = unknown_link(step, printed);
                if (link == nullptr) {
                    link = &fresh[{step.from, step.to}];
                    link->from = step.from;
                    link->to = step.to;
                }
                add_sorted(link->*channels, step.channel);
            }
        };
        add_all(rings, &MapLink::ring_channels);
        add_all(trees, &MapLink::tree_channels);
        map_.links.reserve(map_.links.size() + fresh.size());
        for (auto& [pair, link] : fresh) {
            map_.links.push_back(std::move(link));
        }
        std::inplace_merge(map_.links.begin(), map_.links.begin() + printed, map_.links.end(),
                           [](const MapLink& left, const MapLink& right) { return key(left) < key(right); });
    }

    static std::tuple<int, int, TransportKind> key(const MapLink& link) {
        return {link.from, link.to, link.kind};
    }

    /// Of the first `printed` links; null: there is none.
    MapLink* unknown_link(const Step& step, std::ptrdiff_t printed) {
        const std::tuple wanted(step.from, step.to, TransportKind::Unknown);
        const auto end = map_.links.begin() + printed;
        const auto at =
            std::lower_bound(map_.links.begin(), end, wanted,
                             [](const MapLink& link, const auto& what) { return key(link) < what; });
        return at != end && key(*at) == wanted ? &*at : nullptr;
    }

    static constexpr std::size_t kSeveral = MapNode::kUnknownHost - 1;

    const RunFacts& facts_;
    const Communicator& comm_;
    Steps rings_;
    Steps trees_;
    std::vector<int> open_;                    ///< channels of rings that are cut
    std::vector<std::pair<int, int>> known_;   ///< in those: rank, channel of which the next rank is stated
    std::vector<std::pair<int, int>> leaves_;  ///< in those: with a connection that no tree has
    CommMap map_;
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
