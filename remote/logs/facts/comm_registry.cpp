// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/comm_registry.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace rankscope::logs {
namespace {

/// All pairs of 1,024 ranks on a few channels; more would be memory without a use.
constexpr std::size_t kMostEdges = 4'000'000;
constexpr std::size_t kMostTuning = 4096;
constexpr std::size_t kMostTrees = 1'000'000;
constexpr int kMostRanks = 1 << 20;

template <typename T>
void move_to(std::vector<T>& to, std::vector<T>& from, std::size_t most) {
    const auto room = most - std::min(most, to.size());
    to.insert(
        to.end(), std::make_move_iterator(from.begin()),
        std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(std::min(room, from.size()))));
    from.clear();
}

/// The ring of a channel from what every rank says of its neighbours; empty if a rank is missing.
std::vector<int> ring_of_hops(const std::unordered_map<int, int>& next, int nranks, int first) {
    std::vector<int> ring;
    int rank = first;
    for (int i = 0; i < nranks; ++i) {
        ring.push_back(rank);
        const auto found = next.find(rank);
        if (found == next.end()) {
            return {};
        }
        rank = found->second;
        if (rank == first) {
            break;
        }
    }
    return static_cast<int>(ring.size()) == nranks ? ring : std::vector<int>();
}

std::vector<Ring> rings_of(const Topology& topology, int nranks) {
    std::map<int, Ring> rings;
    for (const auto& list : topology.lists) {
        auto& ring = rings[list.channel];
        if (list.ranks.size() >= ring.ranks.size()) {
            ring = {list.channel, list.ranks, static_cast<int>(list.ranks.size()) == nranks};
        }
    }
    std::map<int, std::unordered_map<int, int>> next;
    for (const auto& hop : topology.hops) {
        next[hop.channel][hop.rank] = hop.next;
    }
    for (const auto& [channel, hops] : next) {
        auto& ring = rings[channel];
        ring.channel = channel;
        if (!ring.complete) {
            if (auto whole = ring_of_hops(hops, nranks, 0); !whole.empty()) {
                ring.ranks = std::move(whole);
                ring.complete = true;
            }
        }
    }
    std::vector<Ring> all;
    for (auto& [channel, ring] : rings) {
        if (!ring.ranks.empty()) {
            all.push_back(std::move(ring));
        }
    }
    return all;
}

int highest_rank(const Topology& topology) {
    int highest = -1;
    for (const auto& edge : topology.edges) {
        highest = std::max({highest, edge.from, edge.to});
    }
    for (const auto& node : topology.trees) {
        highest = std::max(highest, node.rank);
    }
    for (const auto& hop : topology.hops) {
        highest = std::max(highest, hop.rank);
    }
    return highest;
}

int hosts_of(const Communicator& comm, const std::vector<ProcessFacts>& processes) {
    std::set<std::size_t> hosts;
    for (const auto& member : comm.members) {
        hosts.insert(processes[member.process].host);
    }
    return static_cast<int>(hosts.size());
}

}  // namespace

bool Topology::empty() const {
    return lists.empty() && hops.empty() && trees.empty() && edges.empty() && tuning.empty() &&
           counts.collective == 0;
}

void Topology::append(Topology&& other) {
    move_to(lists, other.lists, kMostTrees);
    move_to(hops, other.hops, kMostTrees);
    move_to(trees, other.trees, kMostTrees);
    edges_left_out += other.edges_left_out;
    for (const auto& edge : other.edges) {
        add(edge);
    }
    for (auto& fact : other.tuning) {
        add(std::move(fact));
    }
    if (other.counts.collective > 0) {
        counts = other.counts;
    }
    other = {};
}

void Topology::add(const Edge& edge) {
    if (edges.size() < kMostEdges) {
        edges.push_back(edge);
    } else {
        ++edges_left_out;
    }
}

void Topology::add(TuningFact fact) {
    const auto times = std::max<std::uint64_t>(1, fact.times);
    const auto same = [&](const TuningFact& other) {
        return other.bytes == fact.bytes && other.function == fact.function &&
               other.algorithm == fact.algorithm && other.protocol == fact.protocol &&
               other.first_channel == fact.first_channel && other.last_channel == fact.last_channel;
    };
    if (const auto known = std::find_if(tuning.rbegin(), tuning.rend(), same); known != tuning.rend()) {
        known->times += times;
    } else if (tuning.size() < kMostTuning) {
        fact.times = times;
        tuning.push_back(std::move(fact));
    }
}

std::size_t CommRegistry::thread(std::size_t process, std::int64_t tid) {
    auto& same = thread_index_[static_cast<std::uint64_t>(tid) * 0x9e3779b97f4a7c15 + process];
    for (const auto index : same) {
        if (threads_[index].process == process) {
            return index;
        }
    }
    same.push_back(threads_.size());
    threads_.push_back({.process = process, .members = {}, .waiting = {}});
    return threads_.size() - 1;
}

void CommRegistry::comm(std::size_t thread, const CommLine& comm, const LogLine& line) {
    if (comm.nranks > kMostRanks) {
        return;
    }
    const auto process = threads_[thread].process;
    const auto* known = member_of(process, comm.pointer);
    // An address is used again after a communicator is gone.
    const bool reused = known != nullptr &&
                        (facts(*known).rank != comm.rank || comms_[known->comm].facts.nranks != comm.nranks ||
                         (!comm.id.empty() && comms_[known->comm].facts.id != comm.id));
    const auto member = known != nullptr && !reused ? *known : add_member(process, comm);
    auto& work = comms_[member.comm];
    auto& about = facts(member);
    const auto set = [](int& value, int printed) { value = printed >= 0 ? printed : value; };
    set(about.cuda_device, comm.cuda_device);
    set(about.nvml_device, comm.nvml_device);
    set(about.local_rank, comm.local_rank);
    set(about.local_ranks, comm.local_ranks);
    set(work.facts.nnodes, comm.nnodes);
    set(work.facts.color, comm.color);
    about.bus_id = comm.bus_id >= 0 ? comm.bus_id : about.bus_id;
    work.facts.parent = comm.parent != 0 ? comm.parent : work.facts.parent;
    switch (comm.event) {
        case CommEvent::InitStart:
            about.start = line.place;
            about.start_time = line.time;
            break;
        case CommEvent::InitComplete:
            about.complete = line.place;
            about.complete_time = line.time;
            break;
        case CommEvent::Destroy:
            about.destroyed = line.place;
            break;
        case CommEvent::Abort:
            about.aborted = line.place;
            break;
        case CommEvent::None:
            break;
    }
    if (comm.event != CommEvent::Destroy && comm.event != CommEvent::Abort) {
        auto& at = threads_[thread];
        const auto same = [&](const Member& m) { return m.comm == member.comm && m.index == member.index; };
        if (at.members.empty() || !same(at.members.back())) {
            std::erase_if(at.members, same);
            at.members.push_back(member);
        }
        work.topology.append(std::move(at.waiting));
    }
}

void CommRegistry::timings(std::size_t thread, const InitTimings& timings) {
    const auto& members = threads_[thread].members;
    if (members.empty() || facts(members.back()).rank != timings.rank) {
        return;
    }
    auto& member = facts(members.back());
    member.init_seconds = timings.total;
    for (const auto& [name, seconds] : timings.parts) {
        member.init_parts.emplace(name, seconds);
    }
}

void CommRegistry::call(std::size_t thread, const CallLine& call) {
    if (const auto* member = member_of(threads_[thread].process, call.comm)) {
        auto& about = facts(*member);
        ++about.calls;
        about.last_op_count = std::max(about.last_op_count, call.op_count);
    }
}

Topology& CommRegistry::topology(std::size_t thread, int device) {
    auto& at = threads_[thread];
    const auto* member = current(at, device);
    return member != nullptr ? comms_[member->comm].topology : at.waiting;
}

const CommRegistry::Member* CommRegistry::current(const Thread& thread, int device) const {
    if (!thread.members.empty()) {
        return &thread.members.back();
    }
    // From 2.22 connections are made at the first collective, in any thread: the newest communicator of this device.
    const auto found = of_process_.find(thread.process);
    if (found == of_process_.end()) {
        return nullptr;
    }
    const auto& members = found->second;
    const auto same = std::find_if(members.rbegin(), members.rend(),
                                   [&](const Member& m) { return facts(m).cuda_device == device; });
    return same != members.rend() ? &*same : &members.back();
}

void CommRegistry::connected(std::size_t thread, int device, double time) {
    if (const auto* member = current(threads_[thread], device)) {
        facts(*member).connected_time = time;
    }
}

CommRegistry::Member* CommRegistry::member_of(std::size_t process, std::uint64_t pointer) {
    const auto found = of_process_.find(process);
    if (found == of_process_.end()) {
        return nullptr;
    }
    auto& members = found->second;
    const auto same = std::find_if(members.rbegin(), members.rend(),
                                   [&](const Member& m) { return facts(m).pointer == pointer; });
    return same != members.rend() ? &*same : nullptr;
}

CommRegistry::Member CommRegistry::add_member(std::size_t process, const CommLine& comm) {
    const auto index = find_comm(comm);
    auto& work = comms_[index];
    const Member member{index, work.facts.members.size()};
    work.facts.members.push_back({.process = process, .pointer = comm.pointer, .rank = comm.rank});
    work.by_rank.emplace(comm.rank, member.index);
    of_process_[process].push_back(member);
    return member;
}

/// The communicator of that id. Before 2.18 there is none: the first one of that size in which the rank is free.
std::size_t CommRegistry::find_comm(const CommLine& comm) {
    const auto add = [&] {
        comms_.emplace_back();
        comms_.back().facts.id = comm.id;
        comms_.back().facts.nranks = comm.nranks;
        return comms_.size() - 1;
    };
    if (!comm.id.empty()) {
        const auto [found, fresh] = by_id_.try_emplace(std::string(comm.id), comms_.size());
        return fresh ? add() : found->second;
    }
    auto& same_size = without_id_[comm.nranks];
    for (const auto index : same_size) {
        if (!comms_[index].by_rank.contains(comm.rank)) {
            return index;
        }
    }
    same_size.push_back(add());
    return same_size.back();
}

std::vector<Communicator> CommRegistry::take(const std::vector<ProcessFacts>& processes) {
    for (auto& thread : threads_) {
        const auto found = of_process_.find(thread.process);
        if (!thread.waiting.empty() && found != of_process_.end()) {
            comms_[found->second.back().comm].topology.append(std::move(thread.waiting));
        }
    }
    // What is left is of processes without a line of their init.
    Topology nameless;
    for (auto& thread : threads_) {
        nameless.append(std::move(thread.waiting));
    }
    if (!nameless.empty()) {
        const bool of_the_only_one = comms_.size() == 1 && highest_rank(nameless) < comms_[0].facts.nranks;
        if (!of_the_only_one) {
            comms_.emplace_back();
        }
        comms_.back().topology.append(std::move(nameless));
    }
    std::vector<Communicator> all;
    for (auto& work : comms_) {
        auto& comm = work.facts;
        std::stable_sort(comm.members.begin(), comm.members.end(),
                         [](const auto& a, const auto& b) { return a.rank < b.rank; });
        comm.rings = rings_of(work.topology, comm.nranks);
        const auto& counts = work.topology.counts;
        comm.channels = counts.collective;
        for (const auto& list : work.topology.lists) {
            comm.channels = std::max(comm.channels, counts.collective > 0 ? 0 : list.channels);
        }
        comm.collnet_channels = counts.collnet;
        comm.nvls_channels = counts.nvls;
        comm.p2p_channels = counts.p2p;
        comm.p2p_channels_per_peer = counts.p2p_per_peer;
        if (comm.nnodes == 0 && comm.nranks > 0 && comm.missing_ranks().empty()) {
            comm.nnodes = hosts_of(comm, processes);
        }
        comm.trees = std::move(work.topology.trees);
        comm.edges = std::move(work.topology.edges);
        comm.edges_left_out = work.topology.edges_left_out;
        comm.tuning = std::move(work.topology.tuning);
        all.push_back(std::move(comm));
    }
    *this = {};
    return all;
}

}  // namespace rankscope::logs
