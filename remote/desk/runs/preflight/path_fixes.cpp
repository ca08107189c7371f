// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall_fix.h>
#include <remote/desk/runs/preflight/firewall_rules.h>
#include <remote/desk/runs/preflight/path_fixes.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <map>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

bool is_of_master_port(const Check& check) {
    return check.id.text().starts_with("master-port-");
}

bool is_of_firewall(const Check& check) {
    return is_of_master_port(check) || check.id == "gloo-ports-blocked" ||
           check.id.text().starts_with("nccl-ports-") || check.id == "partition-midrun";
}

// The address that the target's firewall sees.
std::string source_address(const std::vector<NodeView>& views, const PathResult& path) {
    return path.result.local_address().empty() ? views[path.from].address : path.result.local_address();
}

// What one node has to let through.
struct Gate {
    std::set<std::string> peers;
    const PathResult* example = nullptr;
};

// What this user may not do: to be copied.
std::string for_administrator(const Gate& gate, const std::string& node, bool outgoing, int first_port,
                              int last_port) {
    const std::string ports = first_port == last_port
                                  ? std::to_string(first_port)
                                  : std::to_string(first_port) + '-' + std::to_string(last_port);
    return outgoing ? text(kContext,
                           "For the administrator of %1: allow TCP to port %2 of %3. The rules: `sudo nft "
                           "list ruleset`, `sudo iptables-save`",
                           {node, ports, joined(gate.peers)})
                    : text(kContext,
                           "For the administrator of %1: allow TCP to port %2 from %3. The rules: `sudo nft "
                           "list ruleset`, `sudo iptables-save`",
                           {node, ports, joined(gate.peers)});
}

void open_gate(Check& check, const std::vector<NodeView>& views, std::size_t node, const Gate& gate,
               bool outgoing, int first_port, int last_port) {
    const NodeView& view = views[node];
    const wire::Firewall& firewall = view.host.firewall();
    const PathResult& path = *gate.example;
    const std::string local = outgoing ? source_address(views, path) : path.address;
    FirewallFlow flow;
    flow.interface_name = view.interface_name;
    flow.from = source_address(views, path);
    flow.to = path.address;
    flow.port = path.port;
    flow.outgoing = outgoing;
    const FirewallDecision decision = decide(firewall, flow);
    if (is_blocked(decision.answer)) {
        check.evidence.push_back(text(kContext, "%1, %2: %3", {view.name, decision.place, decision.rule}));
    } else if (firewall.seen_by().empty()) {
        check.evidence.push_back(
            text(kContext, "%1: the firewall's rules could not be read without root or sudo.", {view.name}));
        check.evidence.push_back(for_administrator(gate, view.name, outgoing, first_port, last_port));
    } else if (decision.answer == FirewallAnswer::Accept) {
        check.evidence.push_back(
            text(kContext, "%1: its own firewall accepts the connection; another one on the path blocks it.",
                 {view.name}));
    }
    std::set<std::string> peers = gate.peers;
    // The node's own ranks connect to that address, too, by the loopback interface.
    FirewallFlow own = flow;
    own.interface_name = "lo";
    own.from = path.address;
    if (!outgoing && is_blocked(decide(firewall, own).answer)) {
        peers.insert(path.address);
    }
    FirewallOpening opening;
    opening.node = view.name;
    opening.interface_name = view.interface_name;
    opening.address = local;
    opening.peers.assign(peers.begin(), peers.end());
    opening.first_port = first_port;
    opening.last_port = last_port;
    opening.outgoing = outgoing;
    for (auto& fix : firewall_fixes(firewall, opening)) {
        check.fixes.push_back(std::move(fix));
    }
}

void add_firewall(Check& check, const std::vector<NodeView>& views, const std::vector<PathResult>& results,
                  const PathPlan& plan) {
    const std::set<NodePair> pairs(check.pairs.begin(), check.pairs.end());
    std::map<std::size_t, Gate> incoming;
    std::map<std::size_t, Gate> outgoing;
    for (const auto& path : results) {
        const auto outcome = path.result.outcome();
        if (!path.chosen || path.ssh_port || outcome == wire::CONNECTED ||
            outcome == wire::CONNECT_NOT_TRIED ||
            pairs.count({views[path.from].name, views[path.to].name}) == 0 ||
            (check.id != "partition-midrun" && path.master_port != is_of_master_port(check))) {
            continue;
        }
        const bool local = outcome == wire::CONNECT_LOCAL_DENIED;
        Gate& gate = local ? outgoing[path.from] : incoming[path.to];
        gate.peers.insert(local ? path.address : source_address(views, path));
        gate.example = gate.example == nullptr ? &path : gate.example;
    }
    for (const auto* gates : {&incoming, &outgoing}) {
        for (const auto& [node, gate] : *gates) {
            // What listens there decides the range.
            const NodeView& listener = views[gate.example->to];
            const bool master_port = is_of_master_port(check);
            const int first =
                master_port ? plan.master_port : static_cast<int>(listener.host.ephemeral_first());
            const int last =
                master_port ? plan.master_port : static_cast<int>(listener.host.ephemeral_last());
            open_gate(check, views, node, gate, gates == &outgoing, first, last);
        }
    }
}

// Another rendezvous port of the master, where every node that was tried reaches one: a change of the job, which needs
// no rights.
void add_passing_port(Check& check, const std::vector<PathResult>& results, const PathPlan& plan) {
    std::map<std::size_t, bool> reached;  // the master, by the other nodes
    int example = 0;
    for (const auto& path : results) {
        if (path.chosen && !path.ssh_port && !path.master_port && path.to == plan.master) {
            const bool arrived = path.result.outcome() == wire::CONNECTED;
            reached[path.from] = arrived && reached.emplace(path.from, true).first->second;
            example = arrived ? path.port : example;
        }
    }
    const bool passes = !reached.empty() && std::all_of(reached.begin(), reached.end(),
                                                        [](const auto& node) { return node.second; });
    if (passes) {
        check.evidence.push_back(
            text(kContext, "Other ports of the same address pass, for example %1: master_port: 0 takes one.",
                 {std::to_string(example)}));
        check.fixes.push_back({.job = {{"master_port", "0"}}});
    }
}

// The kernel begins with small segments and finds the size that passes; 1 would begin only after seconds of silence on
// each connection.
void add_mtu(Check& check) {
    std::set<std::string> senders;
    for (const auto& pair : check.pairs) {
        senders.insert(pair.from);
    }
    for (const auto& node : senders) {
        check.fixes.push_back(root_fix(node, ShellCommand("sudo sysctl -w net.ipv4.tcp_mtu_probing=2"),
                                       ShellCommand("sudo sysctl -w net.ipv4.tcp_mtu_probing=0")));
    }
}

}  // namespace

void add_path_fixes(std::vector<Check>& checks, const std::vector<NodeView>& views,
                    const std::vector<PathResult>& results, const PathPlan& plan) {
    for (auto& check : checks) {
        if (check.status == CheckStatus::Pass) {
            continue;
        }
        if (is_of_firewall(check)) {
            add_firewall(check, views, results, plan);
            if (is_of_master_port(check)) {
                add_passing_port(check, results, plan);
            }
        } else if (check.id == "mtu-blackhole") {
            add_mtu(check);
        }
    }
}

}  // namespace rankscope::inline runs
