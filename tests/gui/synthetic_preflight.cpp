// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/pairs_to_try.h>

#include <tests/gui/synthetic_preflight.h>

namespace rankscope::gui::testing {

namespace {

constexpr int kMasterPort = 29500;
constexpr std::size_t kBlocked = 1;  ///< node2
constexpr std::size_t kSlowFrom = 2;
constexpr std::size_t kLongestName = 63;  ///< of a host, RFC 1035

std::string address_of(std::size_t node) {
    return "10.0.0." + std::to_string(11 + node);
}

class PreflightReporter {
public:
    explicit PreflightReporter(const SyntheticPreflight& preflight) : preflight_(preflight) {
        for (std::size_t i = 0; i < preflight.nodes; ++i) {
            std::string name = "node" + std::to_string(i + 1);
            if (preflight.long_names) {
                const std::string front = "gpu-worker-of-the-second-rack-in-the-third-hall-";
                name = front + std::string(kLongestName - front.size() - name.size(), 'x') + name;
            }
            report.nodes.push_back(name);
        }
        report.seconds = preflight.nodes > 8 ? 6.4 : 1.9;
        report.plan.master_node = report.nodes.front();
        report.plan.master_addr = address_of(0);
        report.plan.master_port = kMasterPort;
    }

    void add_paths() {
        for (const auto& [from, to] : pairs_to_try(report.nodes.size(), 0)) {
            add_path(from, to, true, to == 0);
            add_path(from, to, true, false);
            add_path(from, to, false, false);
        }
        for (std::size_t i = 0; i < report.nodes.size(); ++i) {
            report.choices.push_back({report.nodes[i], "eth0", address_of(i), "every node reaches it"});
        }
        if (report.nodes.size() > kEveryPairOf) {
            report.untested.emplace_back(
                "Of 64 nodes not every pair was tried: each node with its neighbours at "
                "distances 1, 2, 4, … and with the master.");
        }
    }
    void add(Check check) { report.checks.push_back(std::move(check)); }
    void pass(const std::string& detail) {
        add({.status = CheckStatus::Pass, .nodes = report.nodes, .detail = detail});
    }
    const std::string& name(std::size_t node) const { return report.nodes[node]; }

    PreflightReport report;

private:
    void add_path(std::size_t from, std::size_t to, bool chosen, bool master_port) {
        PathResult path;
        path.from = from;
        path.to = to;
        path.chosen = chosen;
        path.master_port = master_port;
        path.interface_name = chosen ? "eth0" : "eth1";
        path.address = chosen ? address_of(to) : "192.168.7." + std::to_string(11 + to);
        path.port = master_port ? kMasterPort : 43217;
        path.measured = chosen && !master_port && report.nodes.size() <= 8;
        const bool blocked = preflight_.faults && to == kBlocked && chosen && !master_port;
        path.result.set_outcome(blocked ? wire::CONNECT_DROPPED : wire::CONNECTED);
        path.result.set_seconds(blocked ? 2.5 : 0.0006);
        if (!blocked) {
            path.result.set_rtt_s(0.00031);
            path.result.set_path_mtu(1500);
            path.result.set_bulk_sent(1U << 20U);
            path.result.set_bulk_seconds(preflight_.faults && from == kSlowFrom && to == 0 ? 0.9 : 0.0009);
            path.result.set_segments_out(720);
        }
        report.paths.push_back(std::move(path));
    }

    const SyntheticPreflight& preflight_;
};

void add_faults(PreflightReporter& reporter) {
    const std::string& node2 = reporter.name(kBlocked);
    Check ports;
    ports.id = "gloo-ports-blocked";
    ports.status = CheckStatus::Fail;
    ports.nodes = {node2};
    Check port;
    for (std::size_t from = 0; from < reporter.report.nodes.size(); ++from) {
        if (from != kBlocked) {
            ports.pairs.push_back({reporter.name(from), node2});
        }
    }
    ports.detail =
        "The nodes cannot connect to " + node2 +
        " on the ports that the ranks listen on (for example 43217): no answer, the packets are dropped.";
    ports.evidence = {reporter.name(0) + " -> 10.0.0.12:43217: no answer, the packets are dropped",
                      node2 + ": table inet filter, chain input, handle 9: tcp dport 32768-60999 drop"};
    ports.fixes = {
        {.node = node2,
         .command = "sudo nft insert rule inet filter input ip saddr { 10.0.0.11, 10.0.0.13, 10.0.0.14 } tcp "
                    "dport 32768-60999 counter accept comment \"rankscope\"",
         .undo =
             "sudo nft -a list chain inet filter input | sed -n 's/.*rankscope.*handle //p' | xargs -r -n1 "
             "sudo nft delete rule inet filter input handle",
         .needs_root = true,
         .job = {}}};
    reporter.add(ports);
    reporter.add({.id = "port-in-use",
                  .status = CheckStatus::Fail,
                  .nodes = {reporter.name(0)},
                  .detail = "The rendezvous port 29500 of " + reporter.name(0) +
                            " is held by process 4711 (python3 train.py) of this user.",
                  .evidence = {"tcp LISTEN 0.0.0.0:29500 pid 4711 python3 train.py"},
                  .fixes = {{.job = {{"master_port", "0"}}},
                            {.node = reporter.name(0), .command = "kill 4711", .undo = {}, .job = {}}}});
    if (reporter.report.nodes.size() > 4) {
        reporter.add({.id = "ssh-refused",
                      .status = CheckStatus::Fail,
                      .nodes = {"node-off"},
                      .detail = "10.0.0.99:22 refuses the connection: no SSH server listens there."});
        reporter.add({.id = "link-slow",
                      .status = CheckStatus::Warn,
                      .nodes = {reporter.name(kSlowFrom)},
                      .pairs = {{reporter.name(kSlowFrom), reporter.name(0)}},
                      .detail = "The path from " + reporter.name(kSlowFrom) + " to " + reporter.name(0) +
                                " is slow: 9.3 Mbit/s."});
        reporter.add({.id = "shm-too-small",
                      .status = CheckStatus::Warn,
                      .nodes = {reporter.name(3)},
                      .detail = "/dev/shm of " + reporter.name(3) +
                                " has 64 MiB: data loaders with several workers need more.",
                      .evidence = {"tmpfs /dev/shm 65536k"},
                      .fixes = {{.node = reporter.name(3),
                                 .command = "sudo mount -o remount,size=8G /dev/shm",
                                 .undo = "sudo mount -o remount,size=64M /dev/shm",
                                 .needs_root = true,
                                 .job = {}}}});
    }
    reporter.add(
        {.status = CheckStatus::Skip,
         .nodes = {reporter.name(0)},
         .detail = "The rules of the firewall of " + reporter.name(0) + " cannot be read without root."});
}

}  // namespace

PreflightReport synthetic_preflight(const SyntheticPreflight& preflight) {
    PreflightReporter reporter(preflight);
    reporter.add_paths();
    if (preflight.faults) {
        add_faults(reporter);
    }
    if (reporter.report.nodes.size() > 1) {
        reporter.pass("Every node reaches the rendezvous port 29500 of " + reporter.name(0) + ".");
        if (!preflight.faults) {
            reporter.pass("The ports that the ranks listen on are open between all nodes.");
        }
        reporter.pass("All nodes resolve their names to their own addresses.");
    }
    reporter.pass("The clocks agree: at most 2 ms apart.");
    reporter.pass("Limits are high enough: open files 1048576, locked memory unlimited, processes 127321.");
    reporter.pass("/dev/shm is large enough: 31 GiB or more.");
    reporter.pass("Python 3.11.2 and torch 2.4.1 on all nodes.");
    sort_checks(reporter.report.checks);
    return std::move(reporter.report);
}

}  // namespace rankscope::gui::testing
