// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/path_doubts.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rankscope::inline runs {
namespace {

using Direction = std::pair<std::size_t, std::size_t>;

constexpr double kChance = 1e-3;  // below it, loss alone does not explain what was seen
constexpr int kSendsUntilStall = 3;

bool is_dropped(const PathResult& path) {
    return path.result.outcome() == wire::CONNECT_DROPPED;
}

bool is_open(const PathResult& path) {
    return path.result.outcome() == wire::CONNECTED || path.result.outcome() == wire::CONNECT_STALLED;
}

}  // namespace

std::vector<std::size_t> unanswered_paths(const std::vector<PathResult>& paths) {
    std::set<Direction> reached;
    for (const auto& path : paths) {
        if (path.chosen && is_open(path)) {
            reached.insert({path.from, path.to});
            reached.insert({path.to, path.from});
        }
    }
    std::vector<std::size_t> doubtful;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto& path = paths[i];
        if (path.chosen && !path.ssh_port && is_dropped(path) && reached.count({path.from, path.to}) > 0) {
            doubtful.push_back(i);
        }
    }
    return doubtful;
}

bool take_second_attempt(PathResult& path, const PathResult& second) {
    if (is_dropped(second) || second.result.outcome() == wire::CONNECT_NOT_TRIED) {
        return false;
    }
    path.result = second.result;
    return true;
}

void SizeTrials::add(const wire::ConnectResult& result) {
    const bool stalled = result.outcome() == wire::CONNECT_STALLED;
    if (!stalled && result.outcome() != wire::CONNECTED) {
        return;
    }
    small_sent += result.segments_out();
    small_resent += result.retransmitted();
    ++large_tried;
    large_vanished += stalled && result.bulk_sent() == 0 ? 1 : 0;
}

bool vanishes_by_size(const SizeTrials& trials) {
    if (trials.large_tried == 0 || trials.large_vanished < trials.large_tried) {
        return false;
    }
    const double loss = trials.small_sent == 0 ? 0
                                               : std::min(1.0, static_cast<double>(trials.small_resent) /
                                                                   static_cast<double>(trials.small_sent));
    // Of a segment or of its answer, for each time that the first segment was sent.
    const double fails = 1 - (1 - loss) * (1 - loss);
    return std::pow(fails, kSendsUntilStall * trials.large_tried) < kChance;
}

bool conclude_stall(PathResult& path, const SizeTrials& trials) {
    if (vanishes_by_size(trials)) {
        return false;
    }
    path.result.set_outcome(wire::CONNECTED);
    path.result.set_error(0);
    path.result.set_segments_out(trials.small_sent);
    path.result.set_retransmitted(trials.small_resent);
    return true;
}

std::vector<PathResult> knocks_for(const std::vector<PathResult>& paths,
                                   const std::function<int(std::size_t)>& port_of) {
    std::map<Direction, const PathResult*> chosen;
    std::set<Direction> answered;
    for (const auto& path : paths) {
        if (path.chosen) {
            chosen[{path.from, path.to}] = &path;
            if (!is_dropped(path)) {
                answered.insert({path.from, path.to});
            }
        }
    }
    std::set<Direction> wanted;
    for (const auto& [direction, path] : chosen) {
        if (answered.count(direction) == 0) {
            wanted.insert({direction, {direction.second, direction.first}});
        }
    }
    std::vector<PathResult> knocks;
    for (const auto& direction : wanted) {
        const auto path = chosen.find(direction);
        if (path != chosen.end() && path->second->result.outcome() != wire::CONNECTED) {
            PathResult knock = *path->second;
            knock.result.Clear();
            knock.master_port = false;
            knock.ssh_port = true;
            knock.port = port_of(direction.second);
            knocks.push_back(std::move(knock));
        }
    }
    return knocks;
}

std::set<std::size_t> nodes_to_read_rules(const std::vector<PathResult>& paths) {
    std::set<std::size_t> nodes;
    for (const auto& path : paths) {
        if (!path.chosen || path.ssh_port) {
            continue;
        }
        switch (path.result.outcome()) {
            case wire::CONNECT_DROPPED:
            case wire::CONNECT_RESET:
            case wire::CONNECT_ICMP_PORT:
            case wire::CONNECT_ICMP_PROHIBITED:
            case wire::CONNECT_ICMP_HOST:
            case wire::CONNECT_CLOSED:
                nodes.insert(path.to);
                break;
            case wire::CONNECT_LOCAL_DENIED:
                nodes.insert(path.from);
                break;
            default:
                break;
        }
    }
    return nodes;
}

void take_rules(NodeView& view, wire::HostInspection rules) {
    const auto of_firewall = [](const auto& entry) { return entry.what().starts_with("firewall"); };
    auto* known = view.host.mutable_unseen();
    known->erase(std::remove_if(known->begin(), known->end(), of_firewall), known->end());
    for (auto& entry : *rules.mutable_unseen()) {
        if (of_firewall(entry)) {
            *known->Add() = std::move(entry);
        }
    }
    *view.host.mutable_firewall() = std::move(*rules.mutable_firewall());
    view.host.set_sudo(rules.sudo());
}

}  // namespace rankscope::inline runs
