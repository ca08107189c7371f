// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/complete_checks.h>
#include <remote/desk/runs/preflight/firewall_rules.h>
#include <remote/desk/runs/preflight/path_fixes.h>
#include <remote/desk/runs/watch/path_confirmation.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr double kConfirmed = 0.95;
constexpr std::size_t kMostNodes = 8;

std::size_t place_of(const PreflightReport& report, const std::string& node) {
    return static_cast<std::size_t>(std::find(report.nodes.begin(), report.nodes.end(), node) -
                                    report.nodes.begin());
}

// One direction of a connection: what arrives at a node, and what leaves it.
struct Direction {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string source;
    std::string destination;
    int port = 0;
};

bool is_blocked_there(const PreflightReport& report, std::size_t node, const Direction& direction,
                      bool outgoing) {
    FirewallFlow flow;
    flow.interface_name = report.views[node].interface_name;
    flow.from = direction.source;
    flow.to = direction.destination;
    flow.port = direction.port;
    flow.outgoing = outgoing;
    return is_blocked(decide(report.views[node].host.firewall(), flow).answer);
}

// New connections on other ports pass: is there a rule for the ports of this one?
std::optional<Check> rule_against(const PreflightReport& report, const SilentPath& path, FailureId id) {
    const std::size_t from = place_of(report, path.from);
    const std::size_t to = place_of(report, path.to);
    if (from >= report.views.size() || to >= report.views.size()) {
        return std::nullopt;
    }
    const Direction there{from, to, path.local_address, path.address, path.port};
    const Direction back{to, from, path.address, path.local_address, path.socket.local_port};
    for (const Direction& direction : {there, back}) {
        const bool leaves = is_blocked_there(report, direction.from, direction, true);
        if (!leaves && !is_blocked_there(report, direction.to, direction, false)) {
            continue;
        }
        PathResult blocked;
        blocked.from = direction.from;
        blocked.to = direction.to;
        blocked.chosen = true;
        blocked.address = direction.destination;
        blocked.port = direction.port;
        blocked.result.set_outcome(leaves ? wire::CONNECT_LOCAL_DENIED : wire::CONNECT_DROPPED);
        blocked.result.set_local_address(direction.source);
        Check check;
        check.id = id;
        check.status = CheckStatus::Fail;
        check.nodes = {report.nodes[leaves ? direction.from : direction.to]};
        check.pairs = {{report.nodes[direction.from], report.nodes[direction.to]}};
        check.detail = text(kContext, "The firewall of %1 drops packets from %2 to %3 port %4.",
                            {check.nodes.front(), report.nodes[direction.from], report.nodes[direction.to],
                             std::to_string(direction.port)});
        std::vector<Check> checks{std::move(check)};
        add_path_fixes(checks, report.views, {blocked}, {});
        complete_checks(checks);
        return std::move(checks.front());
    }
    return std::nullopt;
}

// A connection was made in each of these directions, on a port of the kind that the ranks use.
bool all_pass(const PreflightReport& report, const std::vector<NodePair>& pairs) {
    return !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const NodePair& pair) {
        return std::any_of(report.paths.begin(), report.paths.end(), [&](const PathResult& path) {
            return !path.ssh_port && path.result.outcome() == wire::CONNECTED &&
                   path.from == place_of(report, pair.from) && path.to == place_of(report, pair.to);
        });
    });
}

// The same two nodes, in whatever direction.
bool shares_a_link(const std::vector<NodePair>& some, const std::vector<NodePair>& others) {
    return std::any_of(some.begin(), some.end(), [&](const NodePair& pair) {
        return std::any_of(others.begin(), others.end(), [&](const NodePair& other) {
            return pair == other || pair == NodePair{other.to, other.from};
        });
    });
}

void refine_by(const PreflightReport& report, HangFinding& finding) {
    if (const Check* check = explaining_check(report, finding.verdict.pairs)) {
        return refine(finding.verdict, *check);
    }
    const FailureId id = finding.verdict.id != "partition-midrun" ? finding.verdict.id
                         : report.plan.backend == "nccl"          ? FailureId("nccl-ports-dropped")
                                                                  : FailureId("gloo-ports-blocked");
    for (const auto& path : finding.paths) {
        if (const auto check = rule_against(report, path, id)) {
            return refine(finding.verdict, *check);
        }
    }
    if (all_pass(report, finding.verdict.pairs)) {
        finding.verdict.evidence.push_back(
            {.text = text(kContext, "new connections between these nodes pass, on other ports")});
    }
}

}  // namespace

const Check* explaining_check(const PreflightReport& report, const std::vector<NodePair>& pairs) {
    const Check* port = nullptr;  // names a port or a size
    const Check* cut = nullptr;   // only says that nothing passes
    for (const auto& check : report.checks) {
        const bool concerns = pairs.empty() ? !check.pairs.empty() : shares_a_link(check.pairs, pairs);
        const Check*& found = check.id == "partition-midrun" ? cut : port;
        if (check.status == CheckStatus::Fail && concerns && found == nullptr) {
            found = &check;
        }
    }
    // A node that is cut off may refuse its own connections, which looks like a port from there.
    const bool explains_all = port != nullptr && cut != nullptr &&
                              std::all_of(port->pairs.begin(), port->pairs.end(), [&](const NodePair& pair) {
                                  return shares_a_link({pair}, cut->pairs);
                              });
    return port != nullptr && !explains_all ? port : cut;
}

void refine(Verdict& verdict, const Check& check) {
    verdict.id = check.id;
    verdict.title += ' ' + check.detail;
    verdict.confidence = std::max(verdict.confidence, kConfirmed);
    verdict.pairs = check.pairs;
    // Nothing passes between two nodes: whether one of them is at fault or what lies between, these two do not show.
    if (check.id != "partition-midrun" && !check.nodes.empty()) {
        verdict.nodes = check.nodes;
        verdict.node = check.nodes.front();
    }
    for (const auto& line : check.evidence) {
        verdict.evidence.push_back({.text = line});
    }
    if (!check.fixes.empty()) {
        verdict.fix.clear();
        for (const auto& fix : check.fixes) {
            verdict.fix.push_back(to_line(fix));
        }
        verdict.fixes = check.fixes;
    }
}

std::optional<PreflightReport> confirm_paths(HangFinding& finding, PreflightRequest request,
                                             const std::stop_token& stop) {
    std::set<std::string> concerned;
    for (const auto& pair : finding.verdict.pairs) {
        concerned.insert(pair.from);
        concerned.insert(pair.to);
    }
    std::erase_if(request.connected,
                  [&](const ConnectedNode& node) { return concerned.count(node.spec.name) == 0; });
    if (request.connected.size() > kMostNodes) {
        request.connected.resize(kMostNodes);
    }
    if (request.connected.size() < 2) {
        return std::nullopt;
    }
    request.depth = PreflightDepth::Quick;
    request.paths_only = true;
    auto found = run_preflight(request, stop);
    if (!found) {
        return std::nullopt;
    }
    refine_by(*found, finding);
    return std::move(*found);
}

}  // namespace rankscope::inline runs
