// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/rank_waits.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr std::uint32_t kLostSyns = 2;      // after 3 s: the kernel sends the next after 1, 3, 7 s
constexpr std::uint32_t kLostSegments = 3;  // after about 1.4 s on a near network
constexpr double kNoAnswerS = 2.5;

bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address == "::1";
}

/// Which node and which rank is at an address and a port.
class AddressBook {
public:
    AddressBook(const std::map<int, RankSeen>& ranks, const LaunchPlan& plan) {
        for (const auto& node : plan.nodes) {
            add(node.address, node.node);
        }
        for (const auto& [rank, seen] : ranks) {
            for (const auto& socket : seen.state.sockets) {
                add(socket.local_address, seen.node);
                if (socket.state == "LISTEN") {
                    listeners_[{seen.node, socket.local_port}] = rank;
                } else {
                    ends_[{socket.local_address, socket.local_port, socket.peer_address, socket.peer_port}] =
                        rank;
                }
            }
        }
    }

    std::string node(const std::string& address, const std::string& seen_by) const {
        if (is_loopback(address)) {
            return seen_by;
        }
        const auto found = nodes_.find(address);
        return found == nodes_.end() || found->second.size() != 1 ? std::string() : *found->second.begin();
    }

    int rank(const RankSocket& socket, const std::string& seen_by) const {
        const auto other =
            ends_.find({socket.peer_address, socket.peer_port, socket.local_address, socket.local_port});
        if (other != ends_.end()) {
            return other->second;
        }
        const auto listener = listeners_.find({node(socket.peer_address, seen_by), socket.peer_port});
        return listener == listeners_.end() ? -1 : listener->second;
    }

private:
    void add(const std::string& address, const std::string& node) {
        if (!address.empty() && !is_loopback(address) && address != "0.0.0.0" && address != "::") {
            nodes_[address].insert(node);
        }
    }

    std::map<std::string, std::set<std::string>> nodes_;  ///< bridges of containers have one address on many
    std::map<std::pair<std::string, int>, int> listeners_;
    std::map<std::tuple<std::string, int, std::string, int>, int> ends_;
};

enum class Role { Waits, Works, Stuck, Held };

Role role_of(const RankSeen& seen, const AddressBook& book) {
    const auto& activity = seen.activity;
    switch (activity.kind) {
        case Activity::Exited:
        case Activity::Stopped:
        case Activity::Traced:
        case Activity::Throttled:
            return Role::Held;
        case Activity::WaitsInCollective:
        case Activity::WaitsForConnection:
        case Activity::WaitsForGpu:
        case Activity::Connecting:
        case Activity::DataUnanswered:
        case Activity::PeerTakesNothing:
            return Role::Waits;
        case Activity::WaitsForPeer:
            return book.node(activity.peer_address, seen.node).empty()
                       ? (seen.advances ? Role::Works : Role::Stuck)  // a server that is none of the ranks
                       : Role::Waits;
        case Activity::Runs:
        case Activity::SpinsOnCpu:
            return Role::Works;
        default:
            return seen.advances ? Role::Works : Role::Stuck;
    }
}

std::optional<SilentPath> silent_path(int rank, const RankSeen& seen, const RankSocket& socket,
                                      const AddressBook& book) {
    const bool connecting = socket.state == "SYN_SENT" && socket.retransmits >= kLostSyns;
    const bool unanswered = socket.state != "SYN_SENT" && socket.unsent > 0 &&
                            socket.retransmits >= kLostSegments && socket.answer_idle_s >= kNoAnswerS &&
                            !socket.zero_window;
    if (!connecting && !unanswered) {
        return std::nullopt;
    }
    SilentPath path;
    path.from_rank = rank;
    path.from = seen.node;
    path.to = book.node(socket.peer_address, seen.node);
    path.to_rank = book.rank(socket, seen.node);
    path.local_address = socket.local_address;
    path.address = socket.peer_address;
    path.port = socket.peer_port;
    path.connecting = connecting;
    path.socket = socket;
    return path;
}

// Where no rank is known to wait: most of them do the same at the same place, and one does not. Programs without
// PyTorch's collectives wait in ways that no single look tells from a lock.
void take_crowd_as_waiting(const std::map<int, RankSeen>& ranks, RankWaits& waits) {
    std::map<std::pair<Activity, std::string>, std::vector<int>> groups;
    for (const int rank : waits.stuck) {
        const auto& activity = ranks.at(rank).activity;
        groups[{activity.kind, activity.line.empty() ? activity.system_call : activity.line}].push_back(rank);
    }
    for (const auto& entry : groups) {
        const std::vector<int>& group = entry.second;
        if (group.size() >= 2 && group.size() * 2 > ranks.size() && group.size() < ranks.size()) {
            waits.waiting = group;
            std::erase_if(waits.stuck,
                          [&](int rank) { return std::count(group.begin(), group.end(), rank) > 0; });
            return;
        }
    }
}

}  // namespace

RankWaits find_waits(const std::map<int, RankSeen>& ranks, const LaunchPlan& plan) {
    const AddressBook book(ranks, plan);
    RankWaits waits;
    waits.certain = true;
    for (const auto& [rank, seen] : ranks) {
        switch (role_of(seen, book)) {
            case Role::Waits:
                waits.waiting.push_back(rank);
                waits.certain = waits.certain && seen.activity.certain;
                break;
            case Role::Works:
                waits.working.push_back(rank);
                break;
            case Role::Stuck:
                waits.stuck.push_back(rank);
                break;
            case Role::Held:
                break;
        }
        for (const auto& socket : seen.state.sockets) {
            if (auto path = silent_path(rank, seen, socket, book)) {
                waits.silent_paths.push_back(std::move(*path));
            }
            const int other = book.rank(socket, seen.node);
            // The port of the store: libraries ask there every second whether somebody has failed.
            const bool store = socket.peer_port == plan.master_port || socket.local_port == plan.master_port;
            waits.talking = waits.talking || (other >= 0 && other != rank && !store && socket.idle_s > 0 &&
                                              socket.idle_s < seen.interval_s);
            if (other >= 0 && other != rank && seen.state.blocked_socket != 0 &&
                socket.inode == seen.state.blocked_socket) {
                waits.waits_for[rank].insert(other);
            }
        }
    }
    if (waits.waiting.empty()) {
        waits.certain = false;
        take_crowd_as_waiting(ranks, waits);
    }
    return waits;
}

std::string common_node(const std::vector<SilentPath>& paths) {
    std::set<std::pair<std::string, std::string>> links;
    std::map<std::string, std::size_t> counts;
    for (const auto& path : paths) {
        const auto ends = std::minmax(path.from, path.to);
        if (links.emplace(ends.first, ends.second).second) {
            ++counts[path.from];
            if (path.to != path.from) {  // a rank can miss its own node, behind a firewall that filters lo
                ++counts[path.to];
            }
        }
    }
    std::vector<std::string> in_all;
    for (const auto& [node, count] : counts) {
        if (count == links.size() && !node.empty()) {
            in_all.push_back(node);
        }
    }
    return in_all.size() == 1 ? in_all.front() : std::string();
}

}  // namespace rankscope::inline runs
