// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/complete_checks.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/runs/preflight/path_doubts.h>
#include <remote/desk/runs/preflight/path_fixes.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {
namespace {

PathResult path(std::size_t from, std::size_t to, int port, wire::ConnectOutcome outcome) {
    PathResult result;
    result.from = from;
    result.to = to;
    result.master_port = port == 29500;
    result.chosen = true;
    result.address = "10.0.0." + std::to_string(to + 1);
    result.port = port;
    result.result.set_outcome(outcome);
    result.result.set_local_address("10.0.0." + std::to_string(from + 1));
    return result;
}

std::vector<NodeView> nodes(std::size_t count) {
    std::vector<NodeView> views(count);
    for (std::size_t i = 0; i < count; ++i) {
        views[i].name = "node" + std::to_string(i + 1);
        views[i].address = "10.0.0." + std::to_string(i + 1);
        views[i].interface_name = "eth0";
        auto* interface = views[i].host.add_interfaces();
        interface->set_name("eth0");
        interface->add_addresses(views[i].address);
        interface->set_up(true);
        views[i].host.set_ephemeral_first(32768);
        views[i].host.set_ephemeral_last(60999);
    }
    return views;
}

wire::ConnectResult transfer(std::uint32_t sent, std::uint32_t resent, std::uint64_t arrived,
                             wire::ConnectOutcome outcome) {
    wire::ConnectResult result;
    result.set_outcome(outcome);
    result.set_segments_out(sent);
    result.set_retransmitted(resent);
    result.set_bulk_sent(arrived);
    return result;
}

const Check* check_with(const std::vector<Check>& checks, FailureId id) {
    const auto found =
        std::find_if(checks.begin(), checks.end(), [id](const Check& check) { return check.id == id; });
    return found != checks.end() ? &*found : nullptr;
}

TEST(PathDoubts, OnlyWhatMayBeAnAccidentIsTriedAgain) {
    const std::vector<PathResult> paths{
        path(1, 0, 29500, wire::CONNECT_DROPPED), path(1, 0, 40000, wire::CONNECTED),
        path(2, 0, 29500, wire::CONNECT_DROPPED), path(2, 0, 40000, wire::CONNECT_DROPPED),
        path(0, 3, 40000, wire::CONNECT_RESET)};
    EXPECT_EQ(unanswered_paths(paths), std::vector<std::size_t>{0})
        << "node3 answers nowhere: that is no lost packet; a reset is an answer";
}

TEST(PathDoubts, AnAnswerToTheSecondAttemptIsALossAndNoRule) {
    auto paths = std::vector{path(1, 0, 29500, wire::CONNECT_DROPPED), path(1, 0, 40000, wire::CONNECTED)};
    EXPECT_FALSE(take_second_attempt(paths[0], path(1, 0, 29500, wire::CONNECT_DROPPED)));
    EXPECT_EQ(paths[0].result.outcome(), wire::CONNECT_DROPPED);
    EXPECT_TRUE(take_second_attempt(paths[0], path(1, 0, 29500, wire::CONNECTED)));
    const auto checks =
        path_checks(nodes(2), paths, {.master = 0, .master_port = 29500, .unanswered = {{0, 2}}});
    const Check* loss = check_with(checks, "link-loss");
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->status, CheckStatus::Warn) << "a run can start";
    EXPECT_NE(loss->evidence.front().find("2 of 3 attempts"), std::string::npos) << loss->evidence.front();
    EXPECT_FALSE(any_failed(checks));
}

TEST(PathDoubts, TheSizeDecidesOnlyWhereSmallSegmentsPass) {
    // A black hole: nothing of three transfers of large segments, all of the small ones.
    SizeTrials hole;
    for (int i = 0; i < 3; ++i) {
        hole.add(transfer(200, 0, 0, wire::CONNECT_STALLED));
    }
    EXPECT_TRUE(vanishes_by_size(hole));
    // The same where a tenth of all packets is lost besides.
    SizeTrials lossy_hole;
    for (int i = 0; i < 3; ++i) {
        lossy_hole.add(transfer(200, 20, 0, wire::CONNECT_STALLED));
    }
    EXPECT_TRUE(vanishes_by_size(lossy_hole));
    // One large segment that arrives is no black hole, whatever stalled before.
    SizeTrials loss = lossy_hole;
    loss.add(transfer(200, 21, 14480, wire::CONNECT_STALLED));
    EXPECT_FALSE(vanishes_by_size(loss));
    // Where two of three packets are lost, three transfers that vanish prove nothing.
    SizeTrials heavy;
    for (int i = 0; i < 3; ++i) {
        heavy.add(transfer(200, 130, 0, wire::CONNECT_STALLED));
    }
    EXPECT_FALSE(vanishes_by_size(heavy));
    EXPECT_FALSE(vanishes_by_size({})) << "nothing was tried";
}

TEST(PathDoubts, LossIsAWarningAndABlackHoleAFault) {
    SizeTrials trials;
    trials.add(transfer(0, 0, 2896, wire::CONNECT_STALLED));
    trials.add(transfer(200, 19, 65536, wire::CONNECTED));
    auto paths = std::vector{path(1, 0, 40000, wire::CONNECT_STALLED), path(0, 1, 40000, wire::CONNECTED)};
    ASSERT_TRUE(conclude_stall(paths[0], trials));
    auto checks = path_checks(nodes(2), paths, {.master = 0, .unanswered = {{0, 1}}});
    EXPECT_FALSE(any_failed(checks));
    const Check* loss = check_with(checks, "link-loss");
    ASSERT_NE(loss, nullptr);
    EXPECT_NE(loss->detail.find("about 10 %"), std::string::npos) << loss->detail;

    trials = {};
    trials.add(transfer(0, 0, 0, wire::CONNECT_STALLED));
    trials.add(transfer(200, 0, 0, wire::CONNECT_STALLED));
    paths[0].result.set_outcome(wire::CONNECT_STALLED);
    ASSERT_FALSE(conclude_stall(paths[0], trials));
    checks = path_checks(nodes(2), paths, {.master = 0});
    ASSERT_NE(check_with(checks, "mtu-blackhole"), nullptr);
    EXPECT_EQ(check_with(checks, "mtu-blackhole")->status, CheckStatus::Fail);
}

TEST(PathDoubts, TheRulesOfTheNodeThatMayBlockAreRead) {
    const std::vector<PathResult> paths{
        path(1, 0, 29500, wire::CONNECT_DROPPED), path(2, 3, 40000, wire::CONNECT_LOCAL_DENIED),
        path(1, 2, 40000, wire::CONNECTED), path(1, 4, 40000, wire::CONNECT_STALLED)};
    EXPECT_EQ(nodes_to_read_rules(paths), (std::set<std::size_t>{0, 2}));

    NodeView view;
    view.host.add_unseen()->set_what("firewall.rules");
    view.host.add_unseen()->set_what("names");
    wire::HostInspection seen;
    seen.mutable_firewall()->set_kind("nftables");
    seen.mutable_firewall()->set_seen_by("sudo");
    seen.set_sudo(true);
    take_rules(view, std::move(seen));
    EXPECT_EQ(view.host.firewall().seen_by(), "sudo");
    ASSERT_EQ(view.host.unseen_size(), 1);
    EXPECT_EQ(view.host.unseen(0).what(), "names");
}

TEST(PathFixes, APortThatPassesIsAlwaysOffered) {
    const auto views = nodes(3);
    auto paths = std::vector{path(1, 0, 29500, wire::CONNECT_DROPPED), path(1, 0, 43717, wire::CONNECTED),
                             path(2, 0, 29500, wire::CONNECT_DROPPED), path(2, 0, 43717, wire::CONNECTED)};
    const PathPlan plan{.master = 0, .master_port = 29500};
    auto checks = path_checks(views, paths, plan);
    add_path_fixes(checks, views, paths, plan);
    complete_checks(checks);
    const Check* blocked = check_with(checks, "master-port-dropped");
    ASSERT_NE(blocked, nullptr);
    ASSERT_FALSE(blocked->fixes.empty()) << "the rules could not be read, and there is a way out";
    EXPECT_EQ(blocked->fixes.back().job, (std::map<std::string, std::string>{{"master_port", "0"}}));
    const std::string all = [&] {
        std::string text;
        for (const auto& line : blocked->evidence) {
            text += line + '\n';
        }
        return text;
    }();
    EXPECT_NE(all.find("for example 43717"), std::string::npos) << all;
    EXPECT_NE(all.find("For the administrator of node1: allow TCP to port 29500 from 10.0.0.2, 10.0.0.3"),
              std::string::npos)
        << all;

    paths[3].result.set_outcome(wire::CONNECT_DROPPED);
    checks = path_checks(views, paths, plan);
    add_path_fixes(checks, views, paths, plan);
    const Check* still = check_with(checks, "master-port-dropped");
    ASSERT_NE(still, nullptr);
    EXPECT_TRUE(still->fixes.empty()) << "no other port passes for node3";
}

TEST(HostChecks, TheLoopbackInterfaceIsUp) {
    auto views = nodes(2);
    for (auto& view : views) {
        auto* loopback = view.host.add_interfaces();
        loopback->set_name("lo");
        loopback->set_loopback(true);
        loopback->set_up(true);
    }
    EXPECT_FALSE(any_failed(host_checks(views, {})));
    views[0].host.mutable_interfaces(1)->set_up(false);
    const auto checks = host_checks(views, {});
    const Check* down = check_with(checks, "link-down");
    ASSERT_NE(down, nullptr);
    EXPECT_EQ(down->status, CheckStatus::Fail) << "rank 0 reaches its own rendezvous by it";
    EXPECT_EQ(down->nodes, std::vector<std::string>{"node1"});
    EXPECT_EQ(down->fixes.front().command, "sudo ip link set dev lo up");
    EXPECT_EQ(down->fixes.front().undo, "sudo ip link set dev lo down");
}

TEST(HostChecks, AProgramOfTheNameOfPythonIsNotPython) {
    auto views = nodes(3);
    const char* const versions[] = {"3.11.2", "", "2.7.18"};
    for (std::size_t i = 0; i < views.size(); ++i) {
        auto* program = views[i].host.add_programs();
        program->set_name("python3");
        program->set_path("/usr/bin/python3");
        program->set_executable(true);
        auto* version = views[i].host.add_versions();
        version->set_name("python");
        version->set_value(versions[i]);
    }
    const auto checks = host_checks(views, {.program = "python3"});
    const Check* wrong = check_with(checks, "interpreter-missing");
    ASSERT_NE(wrong, nullptr);
    EXPECT_EQ(wrong->status, CheckStatus::Fail);
    EXPECT_EQ(wrong->nodes, (std::vector<std::string>{"node2", "node3"}));
}

TEST(HostChecks, ALimitOfAddressSpaceIsNamed) {
    auto views = nodes(2);
    auto* limit = views[1].host.add_limits();
    limit->set_name("as");
    limit->set_soft(std::int64_t{1} << 30U);
    limit->set_hard(std::int64_t{1} << 30U);
    limit->set_source("rlimit");
    const auto checks = host_checks(views, {});
    const Check* low = check_with(checks, "host-oom");
    ASSERT_NE(low, nullptr);
    EXPECT_EQ(low->status, CheckStatus::Fail);
    EXPECT_NE(low->detail.find("ulimit -v"), std::string::npos) << low->detail;
    EXPECT_FALSE(low->fixes.empty());
}

}  // namespace
}  // namespace rankscope
