// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/job_needs.h>
#include <remote/desk/runs/preflight/name_checks.h>
#include <remote/desk/runs/preflight/network_choice.h>
#include <remote/desk/runs/preflight/pairs_to_try.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/runs/preflight/report_changes.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <set>

namespace rankscope {
namespace {

wire::Interface interface_with(const std::string& name, const std::string& address, unsigned prefix) {
    wire::Interface interface;
    interface.set_name(name);
    interface.add_addresses(address);
    interface.add_prefix_lengths(prefix);
    interface.set_up(true);
    interface.set_carrier(true);
    interface.set_mtu(1500);
    return interface;
}

// node1, node2, … at 10.0.0.1, 10.0.0.2, …, healthy.
std::vector<NodeView> healthy(std::size_t nodes) {
    std::vector<NodeView> views(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        const std::string number = std::to_string(i + 1);
        views[i].name = "node" + number;
        views[i].address = "10.0.0." + number;
        views[i].reached_at = views[i].address;
        views[i].interface_name = "eth0";
        views[i].host.set_hostname("host" + number);
        *views[i].host.add_interfaces() = interface_with("eth0", views[i].address, 24);
        views[i].host.mutable_interfaces(0)->set_mac("02:00:00:00:00:0" + number);
    }
    for (auto& view : views) {
        for (std::size_t i = 0; i < nodes; ++i) {
            auto* name = view.host.add_names();
            name->set_name("host" + std::to_string(i + 1));
            name->add_addresses("10.0.0." + std::to_string(i + 1));
        }
    }
    return views;
}

PathResult path(std::size_t from, std::size_t to, bool master_port, wire::ConnectOutcome outcome) {
    PathResult result;
    result.from = from;
    result.to = to;
    result.master_port = master_port;
    result.chosen = true;
    result.interface_name = "eth0";
    result.address = "10.0.0." + std::to_string(to + 1);
    result.port = master_port ? 29500 : 40000;
    result.result.set_outcome(outcome);
    result.result.set_local_address("10.0.0." + std::to_string(from + 1));
    result.result.set_seen_as(result.result.local_address());
    result.result.set_seconds(0.0002);
    result.result.set_rtt_s(0.0002);
    return result;
}

using OutcomeOf = std::function<wire::ConnectOutcome(std::size_t from, std::size_t to, bool master_port)>;

std::vector<PathResult> paths(std::size_t nodes, const OutcomeOf& outcome) {
    std::vector<PathResult> all;
    for (std::size_t from = 0; from < nodes; ++from) {
        for (std::size_t to = 0; to < nodes; ++to) {
            if (from == to) {
                continue;
            }
            if (to == 0) {
                all.push_back(path(from, to, true, outcome(from, to, true)));
            }
            all.push_back(path(from, to, false, outcome(from, to, false)));
        }
    }
    return all;
}

wire::ConnectOutcome open(std::size_t /*from*/, std::size_t /*to*/, bool /*master_port*/) {
    return wire::CONNECTED;
}

std::vector<Check> found(const std::vector<Check>& checks) {
    std::vector<Check> bad;
    std::copy_if(checks.begin(), checks.end(), std::back_inserter(bad),
                 [](const Check& check) { return check.status != CheckStatus::Pass; });
    return bad;
}

const PathPlan kGloo{.master = 0, .master_port = 29500, .nccl = false};
const PathPlan kNccl{.master = 0, .master_port = 29500, .nccl = true};

TEST(ReportChanges, WorseIsWhatWasNotThereOrNotOnThisNodeOrOnlyAWarning) {
    const auto report = [](std::vector<Check> checks) {
        PreflightReport report;
        report.checks = std::move(checks);
        return report;
    };
    const Check port{.id = "master-port-dropped", .status = CheckStatus::Fail, .nodes = {"node1"}};
    const Check skew{.id = "clock-skew", .status = CheckStatus::Warn, .nodes = {"node1", "node2"}};
    const auto ids = [&](const std::vector<Check>& after) {
        std::vector<std::string> ids;
        for (const Check& check : worse_checks(report({port, skew}), report(after))) {
            ids.push_back(check.id.str());
        }
        return ids;
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(ids({port, skew}), Ids{}) << "as before";
    Check other = port;
    other.nodes = {"node2"};
    EXPECT_EQ(ids({other}), Ids{"master-port-dropped"});
    Check failing = skew;
    failing.status = CheckStatus::Fail;
    EXPECT_EQ(ids({port, failing}), Ids{"clock-skew"});
    Check fewer = skew;
    fewer.nodes = {"node2"};
    EXPECT_EQ(ids({fewer}), Ids{});
    const Check silent{.id = "no-answer", .status = CheckStatus::Fail, .nodes = {"node1"}};
    EXPECT_EQ(ids({silent}), Ids{"no-answer"});
    Check passes = silent;
    passes.status = CheckStatus::Pass;
    EXPECT_EQ(ids({passes}), Ids{});
}

TEST(PathChecks, OpenPathsPass) {
    const auto checks = path_checks(healthy(3), paths(3, open), kGloo);
    EXPECT_TRUE(found(checks).empty());
    EXPECT_EQ(checks.size(), 3U) << "master port, ephemeral ports, packet size";
}

TEST(PathChecks, AClosedMasterPortHasTheIdOfHowItIsClosed) {
    const std::vector<std::pair<wire::ConnectOutcome, std::string>> ids{
        {wire::CONNECT_DROPPED, "master-port-dropped"},
        {wire::CONNECT_RESET, "master-port-reset"},
        {wire::CONNECT_ICMP_PORT, "master-port-reset"},
        {wire::CONNECT_ICMP_PROHIBITED, "master-port-icmp-reject"},
        {wire::CONNECT_ICMP_HOST, "master-port-icmp-reject"},
        {wire::CONNECT_WRONG_HOST, "master-addr-wrong-node"},
        {wire::CONNECT_LOCAL_DENIED, "master-port-dropped"}};
    for (const auto& [outcome, id] : ids) {
        const auto bad =
            found(path_checks(healthy(3),
                              paths(3,
                                    [outcome = outcome](std::size_t from, std::size_t, bool master_port) {
                                        return from == 2 && master_port ? outcome : wire::CONNECTED;
                                    }),
                              kGloo));
        ASSERT_EQ(bad.size(), 1U) << id;
        EXPECT_EQ(bad[0].id.text(), id);
        EXPECT_EQ(bad[0].status, CheckStatus::Fail);
        const bool by_sender = outcome == wire::CONNECT_LOCAL_DENIED;
        EXPECT_EQ(bad[0].nodes, (by_sender ? std::vector<std::string>{"node3", "node1"}
                                           : std::vector<std::string>{"node1", "node3"}));
        EXPECT_EQ(bad[0].pairs, (std::vector<NodePair>{{"node3", "node1"}}));
    }
}

TEST(PathChecks, ClosedEphemeralPortsAreNamedByTheLibraryThatUsesThem) {
    const auto closed = [](std::size_t, std::size_t to, bool master_port) {
        return to == 1 && !master_port ? wire::CONNECT_DROPPED : wire::CONNECTED;
    };
    auto bad = found(path_checks(healthy(3), paths(3, closed), kGloo));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "gloo-ports-blocked");
    EXPECT_EQ(bad[0].nodes.front(), "node2") << "its firewall filters";
    EXPECT_EQ(bad[0].pairs, (std::vector<NodePair>{{"node1", "node2"}, {"node3", "node2"}}));
    bad = found(path_checks(healthy(3), paths(3, closed), kNccl));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "nccl-ports-dropped");
}

TEST(PathChecks, ANameThatLeadsToAnotherHostIsNoMatterOfThePath) {
    auto views = healthy(3);
    views[0].address = "host1";
    auto all = paths(3, open);
    for (auto& entry : all) {
        if (entry.from == 2 && entry.to == 0) {
            entry.address = "10.0.0.2";  // as node3 resolves it
            entry.result.set_outcome(wire::CONNECT_RESET);
        }
    }
    EXPECT_TRUE(found(path_checks(views, all, kGloo)).empty()) << "name_checks() reports it";
    views[0].address = "10.0.0.2";
    EXPECT_FALSE(found(path_checks(views, all, kGloo)).empty()) << "no name is at fault";
}

TEST(PathChecks, ASilentHostIsNoFirewallRule) {
    const auto cut = [](std::size_t from, std::size_t to, bool) {
        return from == 1 || to == 1 ? wire::CONNECT_DROPPED : wire::CONNECTED;
    };
    auto all = paths(3, cut);
    auto bad = found(path_checks(healthy(3), all, kGloo));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "partition-midrun");
    EXPECT_EQ(bad[0].pairs.size(), 4U);
    // The same with a host that answers on the port of SSH: a firewall that drops the others.
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 1}, {2, 1}, {1, 0}, {1, 2}}) {
        auto knock = path(from, to, false, wire::CONNECTED);
        knock.ssh_port = true;
        knock.port = 22;
        all.push_back(knock);
    }
    bad = found(path_checks(healthy(3), all, kGloo));
    std::set<std::string> ids;
    for (const auto& check : bad) {
        ids.insert(check.id.str());
    }
    EXPECT_EQ(ids, (std::set<std::string>{"master-port-dropped", "gloo-ports-blocked"}));
}

TEST(PathChecks, ARuleThatTakesTheAnswersIsNoCut) {
    for (const auto refusal : {wire::CONNECT_DROPPED, wire::CONNECT_RESET, wire::CONNECT_ICMP_PROHIBITED,
                               wire::CONNECT_LOCAL_DENIED}) {
        auto all = paths(3, [refusal](std::size_t from, std::size_t to, bool) {
            return from == 1 && to == 2   ? refusal
                   : from == 2 && to == 1 ? wire::CONNECT_DROPPED
                                          : wire::CONNECTED;
        });
        for (const bool there : {true, false}) {
            auto knock =
                path(there ? 1 : 2, there ? 2 : 1, false, there ? wire::CONNECTED : wire::CONNECT_DROPPED);
            knock.ssh_port = true;
            knock.port = 22;
            all.push_back(knock);
        }
        const auto bad = found(path_checks(healthy(3), all, kGloo));
        ASSERT_EQ(bad.size(), 1U) << refusal;
        EXPECT_EQ(bad[0].id.text(), "gloo-ports-blocked") << refusal;
        EXPECT_EQ(bad[0].pairs, (std::vector<NodePair>{{"node2", "node3"}, {"node3", "node2"}})) << refusal;
    }
}

TEST(PathChecks, SlowLossyAndDistantLinksAreWarnings) {
    auto all = paths(2, open);
    all.back().result.set_rtt_s(0.2);
    all.back().result.set_seconds(0.2);
    all.back().result.set_segments_out(200);
    all.back().result.set_retransmitted(12);
    all.back().result.set_bulk_sent(1 << 20);
    all.back().result.set_bulk_seconds(1.0);
    all.back().measured = true;
    const auto distant = found(path_checks(healthy(2), all, kGloo));
    ASSERT_EQ(distant.size(), 2U) << "a distant link takes its time for a transfer: that is not a slow one";
    EXPECT_EQ(distant[0].id.text(), "link-delay");
    EXPECT_EQ(distant[1].id.text(), "link-loss");
    EXPECT_EQ(distant[1].status, CheckStatus::Warn);
    all.back().result.set_rtt_s(0.001);
    all.back().result.set_seconds(0.001);
    all.back().result.set_retransmitted(2);
    const auto slow = found(path_checks(healthy(2), all, kGloo));
    ASSERT_EQ(slow.size(), 1U) << "two segments of 200 are chance";
    EXPECT_EQ(slow[0].id.text(), "link-slow");
    all.back().measured = false;
    EXPECT_TRUE(found(path_checks(healthy(2), all, kGloo)).empty()) << "too little was sent to judge";
}

TEST(PathChecks, LossExplainsASlowTransferInBothDirections) {
    auto all = paths(2, open);
    for (auto& entry : all) {
        entry.result.set_outcome(wire::CONNECTED);
        entry.result.set_rtt_s(0.001);
        entry.result.set_seconds(0.001);
        entry.result.set_segments_out(200);
        entry.result.set_bulk_sent(1 << 20);
        entry.result.set_bulk_seconds(1.0);
        entry.measured = true;
        if (entry.from == 1) {
            entry.result.set_retransmitted(12);
        }
    }
    const auto bad = found(path_checks(healthy(2), all, kGloo));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "link-loss");
    EXPECT_EQ(bad[0].pairs, (std::vector<NodePair>{{"node2", "node1"}}));
    for (auto& entry : all) {
        entry.result.set_retransmitted(0);
    }
    const auto slow = found(path_checks(healthy(2), all, kGloo));
    ASSERT_EQ(slow.size(), 1U) << "without a loss both directions are slow";
    EXPECT_EQ(slow[0].id.text(), "link-slow");
    EXPECT_EQ(slow[0].pairs, (std::vector<NodePair>{{"node1", "node2"}, {"node2", "node1"}}));
}

TEST(PathChecks, ABlackHoleAndTranslation) {
    auto all = paths(2, open);
    all[0].result.set_outcome(wire::CONNECTED);
    for (auto& entry : all) {
        if (entry.from == 1 && !entry.master_port) {
            entry.result.set_outcome(wire::CONNECT_STALLED);
        }
        if (entry.from == 0) {
            entry.result.set_seen_as("192.0.2.7");
        }
    }
    const auto bad = found(path_checks(healthy(2), all, kGloo));
    ASSERT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad[0].id.text(), "mtu-blackhole");
    EXPECT_EQ(bad[0].pairs, (std::vector<NodePair>{{"node2", "node1"}}));
    EXPECT_EQ(bad[1].id.text(), "nat-one-way");
    EXPECT_EQ(bad[1].nodes.front(), "node1");
}

TEST(NameChecks, EveryNameInItsPlacePasses) {
    EXPECT_TRUE(found(name_checks(healthy(3), 0, "10.0.0.1")).empty());
}

TEST(NameChecks, OwnAndForeignNames) {
    auto views = healthy(2);
    views[0].host.mutable_names(0)->set_addresses(0, "127.0.1.1");  // its own
    views[1].host.mutable_names(0)->set_addresses(0, "10.0.0.99");  // of node1
    views[1].host.mutable_names(1)->clear_addresses();              // its own
    const auto bad = found(name_checks(views, 0, "10.0.0.1"));
    std::map<std::string, std::vector<std::string>> nodes;
    for (const auto& check : bad) {
        nodes[check.id.str()] = check.nodes;
        EXPECT_EQ(check.status, CheckStatus::Warn) << "the run uses numbers";
        EXPECT_EQ(check.fixes.empty(), check.id == "master-addr-wrong-node")
            << "host1 is only what node1 calls itself: " << check.id;
    }
    EXPECT_EQ(nodes, (std::map<std::string, std::vector<std::string>>{{"loopback-hostname", {"node1"}},
                                                                      {"master-addr-wrong-node", {"node2"}},
                                                                      {"hostname-unresolvable", {"node2"}}}));
}

TEST(NameChecks, ANameThatTheRunUsesMustResolve) {
    auto views = healthy(2);
    views[0].address = "host1";
    views[1].host.mutable_names(0)->clear_addresses();
    const auto bad = found(name_checks(views, 0, "host1"));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "master-unresolvable");
    EXPECT_EQ(bad[0].status, CheckStatus::Fail);
    views[1].host.mutable_names(0)->add_addresses("fd00::1");
    *views[0].host.add_interfaces() = interface_with("eth0", "fd00::1", 64);
    EXPECT_EQ(found(name_checks(views, 0, "host1"))[0].id.text(), "ipv6-only-name");
}

TEST(InterfaceChecks, NcclsOwnRule) {
    wire::HostInspection host;
    *host.add_interfaces() = interface_with("lo", "127.0.0.1", 8);
    *host.add_interfaces() = interface_with("docker0", "172.17.0.1", 16);
    *host.add_interfaces() = interface_with("virbr0", "192.168.122.1", 24);
    *host.add_interfaces() = interface_with("eth0", "10.0.0.1", 24);
    const auto names = [&](const std::string& ifname) {
        std::vector<std::string> list;
        for (const auto* interface : nccl_interfaces(host, ifname)) {
            list.push_back(interface->name());
        }
        return list;
    };
    EXPECT_EQ(names(""), (std::vector<std::string>{"virbr0", "eth0"}));
    EXPECT_EQ(names("=eth0"), (std::vector<std::string>{"eth0"}));
    EXPECT_EQ(names("eth,docker"), (std::vector<std::string>{"docker0", "eth0"}));
    EXPECT_EQ(names("^lo,docker,virbr"), (std::vector<std::string>{"eth0"}));
    EXPECT_TRUE(names("ib").empty());
    host.mutable_interfaces(2)->set_carrier(false);
    EXPECT_EQ(names(""), (std::vector<std::string>{"eth0"})) << "NCCL 2.28.3 skips what has no link";
}

TEST(InterfaceChecks, TrapsAreNamedAndAJobThatStepsIntoOneFails) {
    auto views = healthy(2);
    for (auto& view : views) {
        *view.host.add_interfaces() = interface_with("docker0", "172.17.0.1", 16);
    }
    EXPECT_TRUE(found(interface_checks(views, {}, "")).empty())
        << "NCCL takes docker0 only where nothing else is";
    auto bad = found(interface_checks(views, {}, "docker0"));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "docker0-chosen");
    EXPECT_EQ(bad[0].status, CheckStatus::Fail);
    EXPECT_EQ(bad[0].nodes, (std::vector<std::string>{"node1", "node2"}));
    EXPECT_EQ(bad[0].fixes.at(0).job.at("interface"), "auto");
    for (auto& view : views) {
        view.host.mutable_interfaces(1)->set_name("virbr0");
    }
    bad = found(interface_checks(views, {}, ""));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "virbr0-chosen");
    EXPECT_EQ(bad[0].status, CheckStatus::Warn) << "Rankscope names eth0 to NCCL";
    bad = found(interface_checks(views, {}, "eth7"));
    EXPECT_EQ(bad.at(0).id.text(), "socket-ifname-invalid");
    views[1].host.mutable_interfaces(0)->set_carrier(false);
    bad = found(interface_checks(views, {}, "eth0"));
    EXPECT_EQ(bad.at(0).id.text(), "link-down");
    EXPECT_EQ(bad.at(0).nodes, (std::vector<std::string>{"node2"}));
}

TEST(NetworkChoice, AnotherNetworkIsTakenWhereThePlannedOneIsCut) {
    auto views = healthy(2);
    *views[0].host.add_interfaces() = interface_with("eth1", "192.168.9.1", 24);
    *views[1].host.add_interfaces() = interface_with("eth1", "192.168.9.2", 24);
    auto all = paths(2, [](std::size_t, std::size_t, bool) { return wire::CONNECT_DROPPED; });
    EXPECT_FALSE(planned_network_works(all));
    EXPECT_FALSE(choose_other_network(views, all, 0)) << "not tried";
    for (std::size_t to = 0; to < 2; ++to) {
        auto other = path(1 - to, to, false, wire::CONNECTED);
        other.chosen = false;
        other.address = "192.168.9." + std::to_string(to + 1);
        other.interface_name = "eth1";
        all.push_back(other);
    }
    const auto choice = choose_other_network(views, all, 0);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->addresses, (std::vector<std::string>{"192.168.9.1", "192.168.9.2"}));
    EXPECT_EQ(choice->interfaces, (std::vector<std::string>{"eth1", "eth1"}));
    all.back().result.set_outcome(wire::CONNECT_RESET);
    EXPECT_FALSE(choose_other_network(views, all, 0));
}

wire::PathState* add_path(NodeView& view, const std::string& name) {
    auto* state = view.host.add_paths();
    state->set_path(name);
    state->set_resolved(name);
    state->set_exists(true);
    state->set_folder(true);
    state->set_readable(true);
    state->set_writable(true);
    state->set_executable(true);
    state->set_free_bytes(std::uint64_t{100} << 30U);
    state->set_total_bytes(std::uint64_t{200} << 30U);
    return state;
}

std::vector<NodeView> with_folders(std::size_t nodes) {
    auto views = healthy(nodes);
    for (auto& view : views) {
        for (const char* name : {"/dev/shm", "/home/user", "/home/user/.cache/rankscope"}) {
            add_path(view, name);
        }
    }
    return views;
}

TEST(HostChecks, HealthyNodesPass) {
    EXPECT_TRUE(found(host_checks(with_folders(2), {.native = true})).empty());
}

TEST(HostChecks, EachFaultNamesItsNode) {
    auto views = with_folders(2);
    NodeView& bad = views[1];
    bad.host.mutable_paths(0)->set_total_bytes(16U << 20U);
    bad.host.mutable_paths(1)->set_free_bytes(1U << 20U);
    bad.host.mutable_paths(2)->set_executable(false);
    auto* limit = bad.host.add_limits();
    limit->set_name("nofile");
    limit->set_soft(64);
    limit = bad.host.add_limits();
    limit->set_name("pids.max");
    limit->set_soft(100);
    limit->set_used(60);
    bad.clock_offset_s = -3600;
    for (auto& view : views) {
        auto* program = view.host.add_programs();
        program->set_name("python3");
        if (&view == &views[0]) {
            program->set_path("/usr/bin/python3");
            program->set_executable(true);
        }
        auto* version = view.host.add_versions();
        version->set_name("torch");
        version->set_value(&view == &bad ? "1.13.0" : "2.6.0");
        add_path(view, "/data/set")->set_exists(&view != &bad);
        auto* script = add_path(view, "train.py");
        script->set_folder(false);
        script->set_sha256(&view == &bad ? "a" : "b");
    }
    HostNeeds needs;
    needs.program = "python3";
    needs.script = "train.py";
    needs.data_paths = {"/data/set"};
    std::set<std::string> ids;
    for (const auto& check : found(host_checks(views, needs))) {
        ids.insert(check.id.str());
        EXPECT_TRUE(std::find(check.nodes.begin(), check.nodes.end(), "node2") != check.nodes.end())
            << check.id;
    }
    EXPECT_EQ(ids, (std::set<std::string>{"clock-skew", "code-differs", "data-path-missing", "disk-full",
                                          "interpreter-missing", "no-exec", "open-files-limit", "pids-limit",
                                          "shm-too-small", "torch-version-skew"}));
}

TEST(HostChecks, AHeldPortNamesItsHolderAndTheWayOut) {
    auto views = with_folders(1);
    auto* port = views[0].host.add_ports();
    port->set_port(29500);
    port->set_held(true);
    port->set_own(true);
    port->set_run_id("20261122-1");
    port->set_command("python3 train.py");
    auto bad = found(host_checks(views, {.master_port = 29500, .master_port_error = EADDRINUSE}));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id.text(), "port-in-use");
    EXPECT_NE(bad[0].fixes.at(0).command.find("rankscopectl clean"), std::string::npos);
    EXPECT_EQ(bad[0].fixes.at(1).job.at("master_port"), "0");
    port->set_own(false);
    port->set_run_id("");
    port->set_user("alice");
    bad = found(host_checks(views, {.master_port = 29500, .master_port_error = EADDRINUSE}));
    ASSERT_EQ(bad[0].fixes.size(), 1U) << "another user's process is not ours to end";
}

TEST(HostChecks, PathsThatNoNodeHasAreWhatTheProgramWrites) {
    auto views = with_folders(2);
    for (auto& view : views) {
        add_path(view, "/out")->set_exists(false);
    }
    EXPECT_TRUE(found(host_checks(views, {.maybe_paths = {"/out"}})).empty());
    EXPECT_EQ(found(host_checks(views, {.data_paths = {"/out"}})).at(0).id.text(), "data-path-missing");
}

TEST(JobNeeds, WhatTheCommandNames) {
    Job job;
    job.workdir = "~/proj";
    job.command = {"python3", "train.py", "--data=/mnt/set", "--rank", "{rank}", "/mnt/other"};
    auto needs = needs_of(job);
    EXPECT_EQ(needs.program, "python3");
    EXPECT_EQ(needs.script, "~/proj/train.py");
    EXPECT_EQ(needs.maybe_paths, (std::set<std::string>{"/mnt/other", "/mnt/set"}));
    job.push = {"./train.py"};
    EXPECT_EQ(needs_of(job).script, "") << "it arrives with the run";
    job.command = {"python3",    "train.py", "--output_dir", "/w/a", "--logging-dir=/w/b",
                   "--ckpt_dir", "/w/c",     "--checkpoint", "/r/d", "--fast",
                   "/r/e"};
    EXPECT_EQ(needs_of(job).maybe_paths, (std::set<std::string>{"/r/d", "/r/e"})) << "what it writes";
}

TEST(PairsToTry, AllOfFewAndEnoughOfMany) {
    EXPECT_EQ(pairs_to_try(4, 0).size(), 12U);
    const auto pairs = pairs_to_try(64, 0);
    EXPECT_LT(pairs.size(), 64U * 63U / 2);
    std::vector<std::set<std::size_t>> to(64);
    std::vector<std::set<std::size_t>> from(64);
    for (const auto& [a, b] : pairs) {
        EXPECT_NE(a, b);
        to[b].insert(a);
        from[a].insert(b);
    }
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_GE(to[i].size(), 6U) << "each node is tried by several";
        EXPECT_GE(from[i].size(), 6U) << "and tries several";
        EXPECT_TRUE(i == 0 || to[0].count(i) == 1) << "everyone reaches the master";
    }
}

}  // namespace
}  // namespace rankscope
