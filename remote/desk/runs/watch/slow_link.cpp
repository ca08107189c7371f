// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/slow_link.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Straggler";
constexpr double kLeastLinkInterval = 0.5;    // seconds
constexpr double kLeastBytes = 16384;         // less is no data of a collective
constexpr std::uint64_t kLeastMoved = 16384;  // bytes: less is no data of a step
constexpr double kMuchBusier = 0.15;          // of the time, beyond the others
constexpr double kTimesBusier = 2.5;
constexpr double kTimesRetransmitted = 4;
constexpr double kManyRetransmitted = 8;

struct Place {
    int rank = -1;
    std::string node = {};
};
using EndPoint = std::pair<std::string, int>;

// An IPv6 socket shows an IPv4 peer as "::ffff:10.0.0.1".
std::string plain(const std::string& address) {
    constexpr std::string_view kMapped = "::ffff:";
    return address.starts_with(kMapped) && address.find('.') != std::string::npos
               ? address.substr(kMapped.size())
               : address;
}
EndPoint own_end(const RankSocket& socket) {
    return {plain(socket.local_address), socket.local_port};
}
EndPoint peer_end(const RankSocket& socket) {
    return {plain(socket.peer_address), socket.peer_port};
}
bool carries_data(const RankSocket& socket) {
    return socket.state == "ESTABLISHED";
}

struct Before {
    const RankSocket* socket;
    double elapsed_s;
};

}  // namespace

LinkUses link_uses(const std::vector<NodeLook>& before, const std::vector<NodeLook>& now) {
    std::map<EndPoint, Place> places;
    std::map<std::tuple<int, EndPoint, EndPoint>, Before> earlier;
    for (const auto& look : now) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                if (carries_data(socket)) {
                    places[own_end(socket)] = {rank.rank, look.node};
                }
            }
        }
    }
    for (const auto& look : before) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                earlier[{rank.rank, own_end(socket), peer_end(socket)}] = {&socket, rank.elapsed_s};
            }
        }
    }
    LinkUses uses;
    for (const auto& look : now) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                const auto peer = places.find(peer_end(socket));
                const auto was = earlier.find({rank.rank, own_end(socket), peer_end(socket)});
                if (!carries_data(socket) || peer == places.end() || was == earlier.end() ||
                    peer->second.node == look.node) {
                    continue;
                }
                const RankSocket& old = *was->second.socket;
                const double interval = rank.elapsed_s - was->second.elapsed_s;
                const double bytes =
                    static_cast<double>(socket.acked_bytes) - static_cast<double>(old.acked_bytes);
                if (interval < kLeastLinkInterval || bytes < kLeastBytes) {
                    continue;
                }
                auto& use = uses[{look.node, peer->second.node}];
                use.retransmitted += static_cast<double>(socket.retransmitted) - old.retransmitted;
                const double busy_s = std::max(0.0, socket.busy_s - old.busy_s);
                const double busy = std::min(1.0, busy_s / interval);
                if (busy >= use.busy) {
                    use.busy = busy;
                    use.busy_s = busy_s;
                    use.bytes = bytes;
                    use.rtt_s = socket.rtt_s;
                    use.from_rank = rank.rank;
                    use.to_rank = peer->second.rank;
                }
            }
        }
    }
    return uses;
}

bool sends_data(const std::vector<NodeLook>& looks) {
    return std::any_of(looks.begin(), looks.end(), [](const NodeLook& look) {
        return std::any_of(look.ranks.begin(), look.ranks.end(), [](const RankSnapshot& rank) {
            return std::any_of(rank.sockets.begin(), rank.sockets.end(),
                               [](const RankSocket& socket) { return socket.acked_bytes > kLeastMoved; });
        });
    });
}

double quiet_s(const std::vector<NodeLook>& looks) {
    double quiet = std::numeric_limits<double>::max();
    for (const auto& look : looks) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                if (socket.acked_bytes > kLeastMoved) {
                    quiet = std::min({quiet, socket.idle_s, socket.sent_idle_s});
                }
            }
        }
    }
    return quiet;
}

bool data_moved(const std::vector<NodeLook>& before, const std::vector<NodeLook>& now) {
    std::map<std::pair<int, std::int64_t>, std::uint64_t> earlier;
    for (const auto& look : before) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                earlier[{rank.rank, socket.inode}] = socket.acked_bytes;
            }
        }
    }
    for (const auto& look : now) {
        for (const auto& rank : look.ranks) {
            for (const auto& socket : rank.sockets) {
                const auto was = earlier.find({rank.rank, socket.inode});
                if (was != earlier.end() && socket.acked_bytes > was->second + kLeastMoved) {
                    return true;
                }
            }
        }
    }
    return false;
}

std::optional<SlowLink> slow_link_of(const LinkUses& uses) {
    if (uses.size() < 2) {
        return std::nullopt;
    }
    std::vector<double> busy;
    for (const auto& [pair, use] : uses) {
        busy.push_back(use.busy);
    }
    const auto quarter = busy.begin() + static_cast<std::ptrdiff_t>((busy.size() - 1) / 4);
    std::nth_element(busy.begin(), quarter, busy.end());
    const double usual = *quarter;
    SlowLink slow;
    slow.usual = usual;
    for (const auto& [pair, use] : uses) {
        if (use.busy >= usual + kMuchBusier && use.busy >= usual * kTimesBusier) {
            slow.pairs.push_back(pair);
            if (use.busy > slow.worst.busy) {
                slow.worst = use;
            }
        }
    }
    // Two nodes: what one loses also delays the answers to the other, and both directions look alike.
    if (slow.pairs.empty() && uses.size() == 2) {
        const auto& [one, first] = *uses.begin();
        const auto& [other, second] = *std::next(uses.begin());
        const bool first_worse = first.retransmitted >= second.retransmitted;
        const auto& worse = first_worse ? first : second;
        const auto& better = first_worse ? second : first;
        if (worse.busy >= kMuchBusier && worse.busy >= better.busy &&
            worse.retransmitted >= kManyRetransmitted &&
            worse.retransmitted >= kTimesRetransmitted * better.retransmitted) {
            slow.pairs.push_back(first_worse ? one : other);
            slow.worst = worse;
            slow.usual = better.busy;
        }
    }
    if (slow.pairs.empty()) {
        return std::nullopt;
    }
    std::set<std::string> common{slow.pairs.front().from, slow.pairs.front().to};
    for (const auto& pair : slow.pairs) {
        std::erase_if(common, [&](const std::string& node) { return node != pair.from && node != pair.to; });
    }
    if (common.empty()) {
        return std::nullopt;
    }
    slow.node = common.size() == 1 ? *common.begin() : slow.pairs.front().from;
    if (slow.pairs.size() == 2 && common.size() == 2) {  // both directions of one path
        const auto& back = uses.at({slow.pairs[1].from, slow.pairs[1].to});
        const auto& forth = uses.at({slow.pairs[0].from, slow.pairs[0].to});
        slow.node = back.busy > forth.busy ? slow.pairs[1].from : slow.pairs[0].from;
    }
    return slow;
}

SlowCause cause_of(const SlowLink& slow, const std::map<std::string, double>& bad_packets) {
    const auto& pair = slow.pairs.front();
    const auto rate = short_number(slow.worst.rate() * 1e-6);
    SlowCause cause;
    cause.reason = SlowReason::SlowLink;
    cause.because =
        slow.pairs.size() == 1
            ? text(kContext,
                   "The network from %1 to %2 is slow, and the ranks wait for it: it moves %3 MB/s.",
                   {pair.from, pair.to, rate})
            : text(kContext, "The network of %1 is slow, and the ranks wait for it: it moves %2 MB/s.",
                   {slow.node, rate});
    cause.evidence = {text(kContext, "from %1 to %2: data is on the way %3 of the time, elsewhere %4",
                           {pair.from, pair.to, percent(slow.worst.busy), percent(slow.usual)}),
                      text(kContext, "it moves %1 MB/s while it has data, with answers after %2 ms",
                           {rate, short_number(slow.worst.rtt_s * 1e3)})};
    if (slow.worst.retransmitted > 0) {
        cause.evidence.push_back(
            text(kContext, "%1 segments were sent again", {short_number(slow.worst.retransmitted)}));
    }
    for (const auto& [what, per_second] : bad_packets) {
        cause.evidence.push_back(
            text(kContext, "%1 of %2: %3 packets per second", {what, slow.node, short_number(per_second)}));
    }
    cause.fix = {
        text(kContext,
             "On %1: check speed, errors and drops of its network interface, its cable and its switch port.",
             {slow.node})};
    return cause;
}

}  // namespace rankscope::inline runs
