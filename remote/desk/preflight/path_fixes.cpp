// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/preflight/firewall_fix.h>
#include <remote/desk/preflight/firewall_rules.h>
#include <remote/desk/preflight/path_fixes.h>
#include <remote/desk/text.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <map>
#include <set>

namespace rankscope {
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
        } else if (check.id == "mtu-blackhole") {
            add_mtu(check);
        }
    }
}

}  // namespace rankscope
