// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
constexpr double kSlowRate = 12.5e6;  // bytes per second
constexpr double kSlowSeconds = 0.1;  // shorter transfers say nothing on a busy machine
constexpr double kLongDelay = 0.02;   // seconds there and back
constexpr double kLossShare = 0.01;
constexpr std::uint32_t kLossCount = 3;  // fewer are chance
constexpr std::size_t kMostPathEvidence = 8;

using Outcome = wire::ConnectOutcome;

bool is_open(const wire::ConnectResult& result) {
    return result.outcome() == wire::CONNECTED || result.outcome() == wire::CONNECT_STALLED;
}

bool was_tried(const wire::ConnectResult& result) {
    return result.outcome() != wire::CONNECT_NOT_TRIED;
}

// Of one ordered pair of nodes, at the address that the run uses.
struct Pair {
    const PathResult* master = nullptr;
    const PathResult* ssh = nullptr;
    std::vector<const PathResult*> ephemeral;

    /// Those whose quality counts.
    std::vector<const PathResult*> measured() const {
        return ephemeral.empty() && master != nullptr ? std::vector{master} : ephemeral;
    }
    bool all_blocked() const {
        return !(master != nullptr && is_open(master->result)) &&
               std::none_of(ephemeral.begin(), ephemeral.end(),
                            [](const PathResult* path) { return is_open(path->result); });
    }
    // Something answers at the address, be it a refusal.
    bool host_answers() const {
        const auto answers = [](const PathResult* path) {
            switch (path->result.outcome()) {
                case wire::CONNECT_DROPPED:
                case wire::CONNECT_NO_NEIGHBOUR:
                case wire::CONNECT_NO_ROUTE:
                case wire::CONNECT_ICMP_HOST:
                case wire::CONNECT_NOT_TRIED:
                    return false;
                default:
                    return true;
            }
        };
        return (ssh != nullptr && answers(ssh)) || (master != nullptr && answers(master)) ||
               std::any_of(ephemeral.begin(), ephemeral.end(), answers);
    }
};

// All directions that show one kind of fault.
struct Fault {
    std::set<NodePair> pairs;
    std::set<std::size_t> targets;
    std::set<std::size_t> sources;
    std::vector<const PathResult*> paths;
};

class Findings {
public:
    Findings(const std::vector<NodeView>& views, const std::vector<PathResult>& results, const PathPlan& plan)
        : views_(views), results_(results), plan_(plan) {}

    void add(FailureId id, const PathResult& path) {
        Fault& fault = faults_[id];
        fault.pairs.insert({views_[path.from].name, views_[path.to].name});
        fault.targets.insert(path.to);
        fault.sources.insert(path.from);
        fault.paths.push_back(&path);
    }
    /// A direction that fails because of what add() has for the opposite one.
    void add_direction(FailureId id, std::size_t from, std::size_t to) {
        faults_[id].pairs.insert({views_[from].name, views_[to].name});
    }
    int unanswered(const PathResult& path) const {
        const auto attempts = plan_.unanswered.find(static_cast<std::size_t>(&path - results_.data()));
        return attempts != plan_.unanswered.end() ? attempts->second : 0;
    }
    bool has(FailureId id) const { return faults_.count(id) > 0; }
    bool is_lossy(std::size_t from, std::size_t to) const {
        const auto loss = faults_.find("link-loss");
        return loss != faults_.end() && loss->second.pairs.count({views_[from].name, views_[to].name}) > 0;
    }
    const std::map<FailureId, Fault>& faults() const { return faults_; }

    FailureId master_id(const wire::ConnectResult& result) const {
        switch (result.outcome()) {
            case wire::CONNECT_RESET:
            case wire::CONNECT_CLOSED:
            case wire::CONNECT_ICMP_PORT:  // connect(2) says "refused" to both
                return "master-port-reset";
            case wire::CONNECT_ICMP_PROHIBITED:
            case wire::CONNECT_ICMP_HOST:
                return "master-port-icmp-reject";
            case wire::CONNECT_WRONG_HOST:
                return "master-addr-wrong-node";
            default:
                return "master-port-dropped";
        }
    }
    FailureId ephemeral_id(const wire::ConnectResult& result) const {
        if (result.outcome() == wire::CONNECT_WRONG_HOST) {
            return "wrong-host";
        }
        if (!plan_.nccl) {
            return "gloo-ports-blocked";
        }
        switch (result.outcome()) {
            case wire::CONNECT_RESET:
            case wire::CONNECT_CLOSED:
            case wire::CONNECT_ICMP_PORT:
                return "nccl-ports-reset";
            case wire::CONNECT_ICMP_PROHIBITED:
            case wire::CONNECT_ICMP_HOST:
                return "nccl-ports-icmp-reject";
            default:
                return "nccl-ports-dropped";
        }
    }

private:
    const std::vector<NodeView>& views_;
    const std::vector<PathResult>& results_;
    const PathPlan& plan_;
    std::map<FailureId, Fault> faults_;
};

// No port of the address can be reached, and no rule of a firewall explains it alone.
FailureId unreachable_id(const PathResult& path) {
    switch (path.result.outcome()) {
        case wire::CONNECT_NO_ROUTE:
            return is_ipv6(path.address) ? FailureId("ipv6-only-name") : FailureId("wrong-subnet-chosen");
        case wire::CONNECT_NO_ADDRESS:
            return is_ipv6(path.address) ? FailureId("ipv6-only-name") : FailureId("no-free-ports");
        default:
            return "partition-midrun";
    }
}

// Rules without connection tracking that refuse a node's ephemeral ports take the answers to its own connections, too,
// and those of the sender its answers: nothing answers, and the SSH port is still reached in the other direction.
bool lacks_answers(const Pair& pair, const Pair& back) {
    const bool filtered =
        std::all_of(back.ephemeral.begin(), back.ephemeral.end(),
                    [](const PathResult* path) { return was_tried(path->result) && !is_open(path->result); });
    return pair.all_blocked() && !pair.host_answers() && filtered && !back.ephemeral.empty() &&
           back.ssh != nullptr && is_open(back.ssh->result);
}

// `back` (may be null): the opposite direction. A connection from there shows that packets pass this way, too.
void find_blocked(const Pair& pair, const Pair* back, Findings& findings) {
    std::vector<const PathResult*> tried = pair.ephemeral;
    if (pair.master != nullptr) {
        tried.push_back(pair.master);
    }
    if (tried.empty()) {
        return;
    }
    if (back != nullptr && lacks_answers(pair, *back)) {
        return findings.add_direction(findings.ephemeral_id(back->ephemeral.front()->result),
                                      tried.front()->from, tried.front()->to);
    }
    const Outcome outcome = tried.front()->result.outcome();
    const bool by_route = outcome == wire::CONNECT_NO_ROUTE || outcome == wire::CONNECT_NO_ADDRESS;
    const bool answers = pair.host_answers() || (back != nullptr && !back->all_blocked());
    if (pair.all_blocked() && (by_route || !answers)) {
        return findings.add(unreachable_id(*tried.front()), *tried.front());
    }
    if (pair.master != nullptr && was_tried(pair.master->result) && !is_open(pair.master->result)) {
        findings.add(findings.master_id(pair.master->result), *pair.master);
    }
    for (const PathResult* path : pair.ephemeral) {
        if (was_tried(path->result) && !is_open(path->result)) {
            findings.add(findings.ephemeral_id(path->result), *path);
        }
    }
}

bool is_lossy(const wire::ConnectResult& result) {
    return result.retransmitted() >= kLossCount && result.segments_out() > 0 &&
           result.retransmitted() > kLossShare * result.segments_out();
}

double delay_of(const wire::ConnectResult& result) {
    return result.rtt_s() > 0 ? std::min(result.rtt_s(), result.seconds()) : result.seconds();
}

void find_quality(const PathResult& path, Findings& findings) {
    const wire::ConnectResult& result = path.result;
    if (result.outcome() == wire::CONNECT_STALLED) {
        return findings.add("mtu-blackhole", path);
    }
    if (result.outcome() != wire::CONNECTED) {
        return;
    }
    if (result.rtt_s() > 0 && delay_of(result) > kLongDelay) {
        findings.add("link-delay", path);
    }
    if (is_lossy(result) || findings.unanswered(path) > 0) {
        findings.add("link-loss", path);
    }
    if (!result.seen_as().empty() && !result.local_address().empty() &&
        result.seen_as() != result.local_address()) {
        findings.add("nat-one-way", path);
    }
}

// Lost packets slow a connection down, those of its answers, too: then the loss is what is reported.
void find_slow(const PathResult& path, Findings& findings) {
    if (is_slow(path) && !findings.is_lossy(path.from, path.to) && !findings.is_lossy(path.to, path.from)) {
        findings.add("link-slow", path);
    }
}

// The name of the node leads to an address that it does not have: name_checks() reports that, and what answers there
// says nothing about this node.
bool resolves_elsewhere(const NodeView& target, const PathResult& path) {
    return !is_numeric(target.address) && path.address != target.reached_at &&
           !target.host.interfaces().empty() && interface_of(target, path.address) == nullptr;
}

std::string place(const std::vector<NodeView>& views, const PathResult& path) {
    return views[path.from].name + " -> " + views[path.to].name + " " +
           (is_ipv6(path.address) ? "[" + path.address + "]" : path.address) + ':' +
           std::to_string(path.port);
}

std::string evidence_of(FailureId id, const PathResult& path, const std::vector<NodeView>& views,
                        int unanswered) {
    const wire::ConnectResult& result = path.result;
    const std::string where = place(views, path) + ": ";
    if (id == "link-delay") {
        return where + fixed_text(result.rtt_s() * 1e3, 1) + " ms there and back";
    }
    if (id == "link-loss" && is_lossy(result)) {
        return where + std::to_string(result.retransmitted()) + " of " +
               std::to_string(result.segments_out()) + " segments sent again";
    }
    if (id == "link-loss") {
        return where + std::to_string(unanswered) + " of " + std::to_string(unanswered + 1) +
               " attempts without an answer";
    }
    if (id == "link-slow") {
        return where + fixed_text(8e-6 * static_cast<double>(result.bulk_sent()) / result.bulk_seconds(), 1) +
               " Mbit/s";
    }
    if (id == "nat-one-way") {
        return where + "sent from " + result.local_address() + ", seen as " + result.seen_as();
    }
    return where + outcome_text(result);
}

std::string names(const std::vector<NodeView>& views, const std::set<std::size_t>& indices) {
    constexpr std::size_t kMostNames = 6;
    if (indices.size() == views.size() && views.size() > 2) {
        return text(kContext, "the nodes");
    }
    std::string list;
    std::size_t count = 0;
    for (const auto index : indices) {
        if (++count > kMostNames) {
            return list + text(kContext, " and %1 more", {std::to_string(indices.size() - kMostNames)});
        }
        list += (list.empty() ? "" : ", ") + views[index].name;
    }
    return list;
}

std::string sentence(FailureId id, const Fault& fault, const std::vector<NodeView>& views) {
    const std::string from = names(views, fault.sources);
    const std::string to = names(views, fault.targets);
    const PathResult& first = *fault.paths.front();
    const std::string port = std::to_string(first.port);
    const std::string how = outcome_text(first.result);
    // Nodes on both sides: a list of senders beside the same list of receivers says nothing.
    const bool mutual = std::any_of(fault.sources.begin(), fault.sources.end(),
                                    [&](std::size_t node) { return fault.targets.count(node) > 0; });
    std::set<std::size_t> both = fault.sources;
    both.insert(fault.targets.begin(), fault.targets.end());
    const std::string among = names(views, both);
    if (id == "partition-midrun" && mutual) {
        return text(kContext, "Some of %1 cannot reach each other on any port: %2.", {among, how});
    }
    if (id == "mtu-blackhole" && mutual) {
        return text(
            kContext,
            "Small packets between %1 arrive, large ones do not: a device on the path has a smaller MTU "
            "and drops them.",
            {among});
    }
    if (id == "link-delay" && mutual) {
        return text(kContext, "The delay between %1 is long: %2 ms there and back.",
                    {among, fixed_text(first.result.rtt_s() * 1e3, 0)});
    }
    if (id == "partition-midrun") {
        return text(kContext, "%1 cannot reach %2 at %3 on any port: %4.", {from, to, first.address, how});
    }
    if (id == "wrong-subnet-chosen") {
        return text(kContext, "%1 has no route to %2 (%3).", {from, to, first.address});
    }
    if (id == "ipv6-only-name") {
        return text(kContext, "%1 cannot use the IPv6 address %3 of %2.", {from, to, first.address});
    }
    if (id == "no-free-ports") {
        return text(kContext, "%1 has no free local port left.", {from});
    }
    if (id == "mtu-blackhole") {
        return text(kContext,
                    "Small packets from %1 reach %2, large ones do not: a device on the path has a smaller "
                    "MTU and drops them.",
                    {from, to});
    }
    if (id == "link-delay") {
        return text(kContext, "The delay between %1 and %2 is long: %3 ms there and back.",
                    {from, to, fixed_text(first.result.rtt_s() * 1e3, 0)});
    }
    if (id == "link-loss") {
        // Some are only slower than others: the share of one that was counted.
        const auto counted = std::find_if(fault.paths.begin(), fault.paths.end(),
                                          [](const PathResult* path) { return is_lossy(path->result); });
        if (counted == fault.paths.end()) {
            return text(kContext, "The path from %1 to %2 loses packets: not every attempt got an answer.",
                        {from, to});
        }
        const wire::ConnectResult& result = (*counted)->result;
        return text(kContext, "The path from %1 to %2 loses packets: about %3 %.",
                    {from, to, fixed_text(100.0 * result.retransmitted() / result.segments_out(), 0)});
    }
    if (id == "link-slow") {
        return text(
            kContext, "The path from %1 to %2 is slow: %3 Mbit/s.",
            {from, to,
             fixed_text(8e-6 * static_cast<double>(first.result.bulk_sent()) / first.result.bulk_seconds(),
                        1)});
    }
    if (id == "nat-one-way") {
        return text(kContext, "%1 is behind address translation: %2 sees it as %3.",
                    {from, to, first.result.seen_as()});
    }
    if (id == "wrong-host" || id == "master-addr-wrong-node") {
        return text(kContext, "At %3, %1 reaches another host or program than %2.",
                    {from, to, first.address});
    }
    if (id == "gloo-ports-blocked" || id.text().starts_with("nccl-ports")) {
        return text(kContext,
                    "%1 cannot connect to %2 on the ports that the ranks listen on (for example %3): %4.",
                    {from, to, port, how});
    }
    return text(kContext, "%1 cannot connect to %2 on the rendezvous port %3: %4.", {from, to, port, how});
}

CheckStatus status_of(FailureId id, const Fault& fault, const Findings& findings) {
    if (id == "link-delay" || id == "link-loss" || id == "link-slow") {
        return CheckStatus::Warn;
    }
    if (id == "nat-one-way") {
        // Translation alone works in one direction; the other one decides.
        const bool back_is_blocked =
            std::any_of(findings.faults().begin(), findings.faults().end(), [&](const auto& other) {
                return other.first != id &&
                       std::any_of(fault.pairs.begin(), fault.pairs.end(), [&](const NodePair& pair) {
                           return other.second.pairs.count({pair.to, pair.from}) > 0;
                       });
            });
        return back_is_blocked ? CheckStatus::Fail : CheckStatus::Warn;
    }
    return CheckStatus::Fail;
}

Check check_of(FailureId id, const Fault& fault, const std::vector<NodeView>& views,
               const Findings& findings) {
    Check check;
    check.id = id;
    check.status = status_of(id, fault, findings);
    check.detail = sentence(id, fault, views);
    if (fault.sources.size() == views.size() && views.size() > 2 && !check.detail.empty()) {
        // It begins with "the nodes", not with a name.
        check.detail.front() =
            static_cast<char>(std::toupper(static_cast<unsigned char>(check.detail.front())));
    }
    // Behind translation is the node that sends; a closed port is a matter of the node that listens.
    const bool sender = id == "nat-one-way" || id == "no-free-ports" || id == "wrong-subnet-chosen" ||
                        fault.paths.front()->result.outcome() == wire::CONNECT_LOCAL_DENIED;
    for (const auto* group :
         sender ? std::array{&fault.sources, &fault.targets} : std::array{&fault.targets, &fault.sources}) {
        for (const auto index : *group) {
            if (std::find(check.nodes.begin(), check.nodes.end(), views[index].name) == check.nodes.end()) {
                check.nodes.push_back(views[index].name);
            }
        }
    }
    check.pairs.assign(fault.pairs.begin(), fault.pairs.end());
    const bool one_way = std::none_of(fault.pairs.begin(), fault.pairs.end(), [&](const NodePair& pair) {
        return std::any_of(findings.faults().begin(), findings.faults().end(), [&](const auto& other) {
            return other.second.pairs.count({pair.to, pair.from}) > 0;
        });
    });
    if (one_way && check.status == CheckStatus::Fail && !id.text().starts_with("master-")) {
        check.detail += ' ' + text(kContext, "The opposite direction works.");
    }
    for (const PathResult* path : fault.paths) {
        if (check.evidence.size() == kMostPathEvidence) {
            check.evidence.push_back(
                text(kContext, "and %1 more", {std::to_string(fault.paths.size() - kMostPathEvidence)}));
            break;
        }
        check.evidence.push_back(evidence_of(id, *path, views, findings.unanswered(*path)));
    }
    return check;
}

Check passed(FailureId id, std::string detail) {
    Check check;
    check.id = id;
    check.detail = std::move(detail);
    return check;
}

}  // namespace

std::string outcome_text(const wire::ConnectResult& result) {
    const std::string from =
        result.icmp_from().empty() ? std::string() : text(kContext, " from %1", {result.icmp_from()});
    switch (result.outcome()) {
        case wire::CONNECTED:
            return text(kContext, "connected");
        case wire::CONNECT_DROPPED:
            return text(kContext, "no answer, the packets are dropped");
        case wire::CONNECT_RESET:
            return text(kContext, "rejected (TCP reset)");
        case wire::CONNECT_ICMP_PORT:
            return text(kContext, "rejected (ICMP port unreachable%1)", {from});
        case wire::CONNECT_ICMP_PROHIBITED:
            return text(kContext, "rejected (ICMP administratively prohibited%1)", {from});
        case wire::CONNECT_ICMP_HOST:
            return text(kContext, "rejected (ICMP host unreachable%1)", {from});
        case wire::CONNECT_NO_ROUTE:
            return text(kContext, "no route");
        case wire::CONNECT_NO_NEIGHBOUR:
            return text(kContext, "no host has this address on the link");
        case wire::CONNECT_LOCAL_DENIED:
            return text(kContext, "a rule of the connecting node forbids it");
        case wire::CONNECT_NO_ADDRESS:
            return text(kContext, "no local address or port");
        case wire::CONNECT_WRONG_HOST:
            return text(kContext, "another host or program answers");
        case wire::CONNECT_STALLED:
            return text(kContext, "large segments do not arrive");
        case wire::CONNECT_CLOSED:
            return text(kContext, "accepted, then closed");
        case wire::CONNECT_NOT_TRIED:
            return text(kContext, "not tried");
        default:
            return std::strerror(result.error());
    }
}

bool is_slow(const PathResult& path) {
    const wire::ConnectResult& result = path.result;
    return path.measured && result.outcome() == wire::CONNECTED &&
           result.bulk_seconds() > kSlowSeconds + 12 * delay_of(result) &&
           static_cast<double>(result.bulk_sent()) < kSlowRate * result.bulk_seconds();
}

std::vector<Check> path_checks(const std::vector<NodeView>& views, const std::vector<PathResult>& results,
                               const PathPlan& plan) {
    Findings findings(views, results, plan);
    std::map<std::pair<std::size_t, std::size_t>, Pair> pairs;
    std::size_t tried = 0;
    for (const auto& path : results) {
        if (!path.chosen || resolves_elsewhere(views[path.to], path)) {
            continue;
        }
        tried += was_tried(path.result) ? 1U : 0U;
        Pair& pair = pairs[{path.from, path.to}];
        if (path.ssh_port) {
            pair.ssh = &path;
        } else if (path.master_port) {
            pair.master = &path;
        } else {
            pair.ephemeral.push_back(&path);
        }
    }
    for (const auto& [key, pair] : pairs) {
        const auto back = pairs.find({key.second, key.first});
        find_blocked(pair, back != pairs.end() ? &back->second : nullptr, findings);
        for (const PathResult* path : pair.measured()) {
            find_quality(*path, findings);
        }
        if (pair.master != nullptr && findings.unanswered(*pair.master) > 0 && is_open(pair.master->result) &&
            !findings.is_lossy(key.first, key.second)) {
            findings.add("link-loss", *pair.master);
        }
    }
    for (const auto& [key, pair] : pairs) {
        for (const PathResult* path : pair.measured()) {
            find_slow(*path, findings);
        }
    }
    std::vector<Check> checks;
    for (const auto& [id, fault] : findings.faults()) {
        checks.push_back(check_of(id, fault, views, findings));
    }
    if (tried == 0) {
        Check untried;
        untried.id = "probe-incomplete";
        untried.status = CheckStatus::Skip;
        untried.detail = text(kContext, "No path between the nodes could be tested.");
        checks.push_back(std::move(untried));
        return checks;
    }
    const auto any = [&](const std::string_view prefix) {
        return std::any_of(findings.faults().begin(), findings.faults().end(),
                           [&](const auto& fault) { return fault.first.text().starts_with(prefix); });
    };
    const bool cut = findings.has("partition-midrun") || findings.has("wrong-subnet-chosen");
    if (!any("master-") && !cut && plan.master_port != 0) {
        checks.push_back(
            passed("master-port-dropped", text(kContext, "All nodes reach %1 on the rendezvous port %2.",
                                               {views[plan.master].name, std::to_string(plan.master_port)})));
    }
    if (!any("nccl-ports") && !findings.has("gloo-ports-blocked") && !cut) {
        checks.push_back(
            passed(plan.nccl ? FailureId("nccl-ports-dropped") : FailureId("gloo-ports-blocked"),
                   text(kContext, "The nodes reach each other on the ports that the ranks listen on.")));
    }
    if (!findings.has("mtu-blackhole") && !cut) {
        checks.push_back(passed("mtu-blackhole", text(kContext, "Large packets arrive in all directions.")));
    }
    return checks;
}

}  // namespace rankscope::inline runs
