// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/network_verdict.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr int kNetworkLooks = 2;
constexpr double kFirstSynS = 3;       // of silence, at least, after two lost SYN
constexpr std::size_t kMostPairs = 3;  // in a sentence

FailureId id_of(const SilentPath& path, const LaunchPlan& plan) {
    if (!path.connecting) {
        return "partition-midrun";
    }
    if (path.port == plan.master_port && path.to == plan.master_node) {
        return "master-port-dropped";
    }
    return plan.backend == "nccl" ? FailureId("nccl-ports-dropped") : FailureId("gloo-ports-blocked");
}

std::string list_pairs(const std::vector<NodePair>& pairs) {
    std::string list;
    for (std::size_t i = 0; i < std::min(kMostPairs, pairs.size()); ++i) {
        list += (i > 0 ? ", " : "") + text(kContext, "%1 and %2", {pairs[i].from, pairs[i].to});
    }
    return list + (pairs.size() > kMostPairs ? ", …" : "");
}

std::string title_of(const SilentPath& first, const Verdict& verdict, bool lost) {
    const std::string who = verdict.ranks.size() == 1
                                ? capitalized(name_rank(first.from_rank, first.from))
                                : text(kContext, "Ranks %1", {list_ranks(verdict.ranks)});
    if (lost) {
        return text(kContext, "%1 does not answer, neither the other nodes nor this computer.",
                    {verdict.node});
    }
    if (first.connecting) {
        return verdict.ranks.size() == 1 ? text(kContext, "%1 cannot reach %2 port %3: SYN sent, no answer.",
                                                {who, first.to, std::to_string(first.port)})
                                         : text(kContext, "%1 cannot reach %2: SYN sent, no answer.",
                                                {who, verdict.node.empty() ? first.to : verdict.node});
    }
    if (!verdict.node.empty() && verdict.pairs.size() > 1) {
        return text(kContext, "%1 and the other nodes do not reach each other: data is not acknowledged.",
                    {verdict.node});
    }
    const char* sentence = verdict.ranks.size() == 1
                               ? "%1 gets no answer from %2 (%3 port %4): data is not acknowledged."
                               : "%1 get no answer from %2 (%3 port %4): data is not acknowledged.";
    return text(kContext, sentence, {who, first.to, first.address, std::to_string(first.port)});
}

void add_node(Verdict& verdict, const std::string& node) {
    if (!node.empty() && std::find(verdict.nodes.begin(), verdict.nodes.end(), node) == verdict.nodes.end()) {
        verdict.nodes.push_back(node);
    }
}

void add_paths(Verdict& verdict, const std::vector<SilentPath>& paths) {
    std::set<int> noticed;
    for (const auto& path : paths) {
        const NodePair pair{path.from, path.to};
        if (std::find(verdict.pairs.begin(), verdict.pairs.end(), pair) == verdict.pairs.end()) {
            verdict.pairs.push_back(pair);
        }
        noticed.insert(path.from_rank);
        verdict.evidence.push_back(
            {.text = name_rank(path.from_rank, path.from) + ": " + describe_socket(path.socket)});
        add_node(verdict, path.to);
        add_node(verdict, path.from);
    }
    verdict.ranks.assign(noticed.begin(), noticed.end());
}

// Two ends, and the agent of one does not answer the desk: that one is cut off, not the one that reports it.
std::string silent_end(const std::vector<SilentPath>& paths, const std::map<std::string, double>& silent) {
    std::set<std::string> found;
    for (const auto& path : paths) {
        for (const auto& node : {path.from, path.to}) {
            if (silent.count(node) > 0) {
                found.insert(node);
            }
        }
    }
    const bool all = std::all_of(paths.begin(), paths.end(), [&](const SilentPath& path) {
        return found.count(path.from) + found.count(path.to) == 1;
    });
    return all && found.size() == 1 ? *found.begin() : std::string();
}

// The node whose rendezvous port nobody reaches. Where one other node does, the fault may be at the sender.
std::string blocked_master(const HangView& view, const std::vector<SilentPath>& paths) {
    const auto& plan = view.plan;
    const bool all = std::all_of(paths.begin(), paths.end(), [&](const SilentPath& path) {
        return path.connecting && path.port == plan.master_port && path.to == plan.master_node;
    });
    const bool reached = std::any_of(view.ranks.begin(), view.ranks.end(), [&](const auto& entry) {
        const auto& sockets = entry.second.state.sockets;
        return entry.second.node != plan.master_node &&
               std::any_of(sockets.begin(), sockets.end(), [&](const RankSocket& socket) {
                   return socket.peer_port == plan.master_port && socket.state == "ESTABLISHED";
               });
    });
    return all && !reached ? plan.master_node : std::string();
}

}  // namespace

std::optional<HangFinding> find_network_fault(const HangView& view, const RankWaits& waits) {
    std::vector<SilentPath> paths;
    for (const auto& path : waits.silent_paths) {
        const auto& seen = view.ranks.at(path.from_rank);
        // A server that is none of the nodes may be of no importance: who waits for it is found by what it does.
        if (seen.looks >= kNetworkLooks && !seen.advances && !path.to.empty()) {
            paths.push_back(path);
        }
    }
    if (paths.empty()) {
        return std::nullopt;
    }
    const auto& first = paths.front();
    double silent = 0;
    for (const auto& path : paths) {
        silent = std::max(silent, path.connecting ? kFirstSynS : path.socket.answer_idle_s);
    }
    HangFinding finding;
    finding.since = view.now - silent;
    auto& verdict = finding.verdict;
    verdict.phase = VerdictPhase::Live;
    verdict.node = common_node(paths);
    if (verdict.node.empty()) {
        verdict.node = silent_end(paths, view.silent_nodes);
    }
    if (verdict.node.empty()) {
        verdict.node = blocked_master(view, paths);
    }
    const bool lost = !verdict.node.empty() && view.silent_nodes.count(verdict.node) > 0;
    verdict.id = lost ? FailureId("node-lost") : id_of(first, view.plan);
    verdict.reason = to_string(first.connecting ? Activity::Connecting : Activity::DataUnanswered);
    verdict.confidence = lost ? 0.8 : 0.9;
    add_node(verdict, verdict.node);
    add_paths(verdict, paths);
    for (const auto& rank : view.plan.ranks) {
        if (view.finished.count(rank.rank) == 0) {
            verdict.waiting.push_back(rank.rank);
        }
    }
    verdict.title = title_of(first, verdict, lost);
    verdict.fix.push_back(
        lost ? text(kContext, "Check that %1 is up, and its network.", {verdict.node})
        : first.connecting
            ? text(kContext, "Open the port on %1 for the other nodes alone.", {first.to})
            : text(kContext, "Check the network and the firewalls between %1.", {list_pairs(verdict.pairs)}));
    finding.paths = std::move(paths);
    return finding;
}

}  // namespace rankscope::inline runs
