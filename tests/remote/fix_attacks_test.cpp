// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A node that wants to run commands on the others, or to be taken for one of them, by what it reports.

#include "support/hostile_texts.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/desk/runs/preflight/firewall/opening_commands.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/hosts_line.h>
#include <remote/desk/runs/preflight/name_checks.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace rankscope {
namespace {

using test::hostile_texts;
using test::run_program;

/// node1, node2, node3 at 10.0.0.1 to 10.0.0.3, as the inventory and the nodes themselves call them.
class FixAttacks : public ::testing::Test {
protected:
    FixAttacks() : views_(3) {
        for (std::size_t i = 0; i < views_.size(); ++i) {
            views_[i].name = "node" + std::to_string(i + 1);
            views_[i].address = "10.0.0." + std::to_string(i + 1);
            views_[i].reached_at = views_[i].address;
            views_[i].host.set_hostname(views_[i].name);
            auto* interface = views_[i].host.add_interfaces();
            interface->set_name("eth0");
            interface->add_addresses(views_[i].address);
            interface->add_prefix_lengths(24);
            interface->set_up(true);
        }
        for (std::size_t i = 0; i < views_.size(); ++i) {
            lead(views_[i].name, views_[i].address);
        }
    }
    /// On all nodes; without an address it leads nowhere.
    void lead(const std::string& name, const std::string& address) {
        for (auto& view : views_) {
            lead(view, name, address);
        }
    }
    static void lead(NodeView& view, const std::string& name, const std::string& address) {
        auto* names = view.host.mutable_names();
        const auto known = std::find_if(names->begin(), names->end(),
                                        [&](const auto& entry) { return entry.name() == name; });
        auto* entry = known != names->end() ? &*known : names->Add();
        entry->set_name(name);
        entry->clear_addresses();
        if (!address.empty()) {
            entry->add_addresses(address);
        }
    }
    std::vector<Check> look() const {
        std::vector<Check> bad;
        for (auto& check : name_checks(views_, 0, "10.0.0.1")) {
            if (check.status != CheckStatus::Pass) {
                bad.push_back(std::move(check));
            }
        }
        return bad;
    }
    static std::size_t fixes_of(const std::vector<Check>& checks) {
        std::size_t count = 0;
        for (const auto& check : checks) {
            count += check.fixes.size();
        }
        return count;
    }
    static std::vector<Check> of_host(const std::vector<NodeView>& views, const HostNeeds& needs) {
        auto checks = host_checks(views, needs);
        std::erase_if(checks, [](const Check& check) { return check.status == CheckStatus::Pass; });
        return checks;
    }
    /// Runs the command as the user would be root.
    void run(const std::string& command) const {
        (void)run_program({"sh", "-c", "sudo() { \"$@\"; }; " + command});
        EXPECT_FALSE(std::filesystem::exists(mark_)) << command;
    }

    std::vector<NodeView> views_;
    test::TemporaryFolder folder_;
    std::string mark_ = (folder_ / "mark").string();
};

TEST_F(FixAttacks, HealthyNodesAreNotSuspected) {
    EXPECT_TRUE(look().empty());
}

TEST_F(FixAttacks, AHostNameIsNeverACommand) {
    for (const auto& attack : hostile_texts(mark_)) {
        for (const char* address : {"", "127.0.1.1", "10.0.0.99"}) {
            views_[2].host.set_hostname(attack);
            lead(attack, address);
            const auto checks = look();
            EXPECT_EQ(fixes_of(checks), 0U) << attack;
            EXPECT_FALSE(checks.empty()) << attack;
        }
        EXPECT_FALSE(hosts_line("node1", "10.0.0.3", attack)) << attack;
        EXPECT_FALSE(hosts_line("node1", attack, "node3")) << attack;
    }
}

TEST_F(FixAttacks, TheFixOfAHealthyNameWritesOneLine) {
    lead(views_[0], "node3", "");
    const auto checks = look();
    ASSERT_EQ(fixes_of(checks), 1U);
    const Fix& fix = checks.at(0).fixes.at(0);
    EXPECT_EQ(fix.node, "node1");
    EXPECT_TRUE(fix.needs_root);
    EXPECT_NE(
        std::find(
            checks[0].evidence.begin(), checks[0].evidence.end(),
            "The fix puts \"10.0.0.3 node3\" first in /etc/hosts of node1: the inventory has the name for "
            "node3, and no other node has it."),
        checks[0].evidence.end());
    // On a copy: the line is first, the wrong one is renamed, and the undo restores all.
    const auto hosts = folder_ / "hosts";
    const std::string before = "127.0.0.1 localhost\n10.0.0.9 node3 other\n10.0.0.8 node31\n";
    test::write_text(hosts, before);
    const auto at_copy = [&](std::string command) {
        for (auto at = command.find("/etc/hosts"); at != std::string::npos;
             at = command.find("/etc/hosts", at)) {
            command.replace(at, 10, hosts.string());
            at += hosts.string().size();
        }
        return command;
    };
    run(at_copy(fix.command));
    EXPECT_EQ(read_file(hosts).value_or(""),
              "10.0.0.3 node3\n127.0.0.1 localhost\n10.0.0.9 rankscope-was-node3 other\n10.0.0.8 node31\n");
    run(at_copy(fix.undo));
    EXPECT_EQ(read_file(hosts).value_or(""), before);
}

// As `hostname node2` on node3: node2 is healthy, and stays so.
TEST_F(FixAttacks, TwoNodesOfOneNameAreOneFindingWithoutAFix) {
    views_[2].host.set_hostname("node2");
    const auto checks = look();
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].id, FailureId("same-hostname"));
    EXPECT_EQ(checks[0].status, CheckStatus::Warn);
    EXPECT_EQ(checks[0].nodes, (std::vector<std::string>{"node3", "node2"}))
        << "the one that has to change first";
    EXPECT_EQ(fixes_of(checks), 0U);
    EXPECT_EQ(checks[0].remedy,
              "Give node3 its own name there: `sudo hostnamectl set-hostname NAME`. \"node2\" is node2.");
    views_[2].host.set_hostname("NODE2");
    EXPECT_EQ(look().at(0).id, FailureId("same-hostname")) << "as DNS compares names";
    views_[1].host.set_machine_id("one");
    views_[2].host.set_machine_id("one");
    EXPECT_TRUE(look().empty()) << "two entries for one node";
}

TEST_F(FixAttacks, ClonesOfOneImageGetNoHostsLine) {
    for (auto& view : views_) {
        view.host.set_hostname("ubuntu");
    }
    lead("ubuntu", "127.0.1.1");
    const auto checks = look();
    EXPECT_EQ(fixes_of(checks), 0U);
    ASSERT_FALSE(checks.empty());
    const auto same = std::find_if(checks.begin(), checks.end(),
                                   [](const Check& check) { return check.id == "same-hostname"; });
    ASSERT_NE(same, checks.end());
    EXPECT_EQ(same->nodes.size(), 3U);
}

TEST_F(FixAttacks, ANameOfAnotherNodeIsNotTaken) {
    // node2 calls itself otherwise, so that its listed name seems to be free.
    views_[1].host.set_hostname("worker");
    lead("worker", "10.0.0.2");
    views_[2].host.set_hostname("node2");
    auto checks = look();
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].id, FailureId("hostname-taken"));
    EXPECT_EQ(checks[0].nodes, std::vector<std::string>{"node3"});
    EXPECT_EQ(fixes_of(checks), 0U);
    // Both names are exchanged: either the nodes or /etc/hosts are wrong.
    views_[1].host.set_hostname("node3");
    checks = look();
    EXPECT_EQ(fixes_of(checks), 0U);
    EXPECT_FALSE(checks.empty());
}

TEST_F(FixAttacks, ANameOfTheWorldIsNotTaken) {
    for (const auto& [name, address] :
         {std::pair("registry.example.org", "203.0.113.7"), std::pair("registry.example.org", ""),
          std::pair("mirror", ""), std::pair("localhost", "127.0.0.1"), std::pair("localhost", ""),
          std::pair("ip6-localhost", "")}) {
        views_[2].host.set_hostname(name);
        lead(name, address);
        for (const auto& check : look()) {
            for (const auto& fix : check.fixes) {
                EXPECT_EQ(fix.node, "node3")
                    << name << ": only on the node itself may its word count: " << fix.command;
                EXPECT_NE(std::string(name).substr(0, 3), "loc") << fix.command;
            }
        }
    }
}

TEST_F(FixAttacks, ANameThatTheInventoryHasIsRepaired) {
    lead(views_[0], "node2", "10.0.0.3");  // of another node
    auto checks = look();
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].id, FailureId("master-addr-wrong-node"));
    EXPECT_EQ(fixes_of(checks), 1U) << "the inventory says whose name it is";
    lead("node2", "10.0.0.2");
    lead(views_[1], "node2", "10.0.0.3");  // its own
    checks = look();
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].id, FailureId("hostname-taken"));
    EXPECT_EQ(checks[0].nodes, std::vector<std::string>{"node2"});
    ASSERT_EQ(fixes_of(checks), 1U);
    EXPECT_EQ(checks[0].fixes[0].node, "node2");
    views_[1].listed_host = "gpu-a.example.org";
    views_[1].host.set_hostname("gpu-a");
    lead("gpu-a", "");
    EXPECT_EQ(fixes_of(look()), 3U) << "host: of the inventory counts as well";
}

TEST_F(FixAttacks, ThePathOfAControlGroupIsOneWord) {
    const auto with_source = [&](const std::string& source) {
        std::vector<NodeView> views(1);
        views[0].name = "node1";
        auto* limit = views[0].host.add_limits();
        limit->set_name("pids.max");
        limit->set_soft(20);
        limit->set_hard(20);
        limit->set_used(10);
        limit->set_source(source);
        return of_host(views, {});
    };
    for (const auto& attack : hostile_texts(mark_)) {
        for (const std::string& source :
             {attack, "/etc/" + attack, "/sys/fs/cgroup/" + attack, "/sys/fs/cgroup/../../../" + attack,
              "/sys/fs/cgroup/" + attack + "/x"}) {
            const auto checks = with_source(source);
            ASSERT_EQ(checks.size(), 1U);
            for (const auto& fix : checks[0].fixes) {
                EXPECT_TRUE(source.starts_with("/sys/fs/cgroup/")) << fix.command;
                EXPECT_EQ(source.find(".."), std::string::npos) << fix.command;
                run(fix.command);
                run(fix.undo);
            }
        }
    }
}

TEST_F(FixAttacks, AProcessIdIsNoGroupAndNotInit) {
    for (const int pid : {-1, 0, 1, -4242}) {
        std::vector<NodeView> views(1);
        views[0].name = "node1";
        auto* entry = views[0].host.add_leftovers();
        entry->set_run_id("20261122-1");
        entry->set_pid(pid);
        auto* port = views[0].host.add_ports();
        port->set_port(29500);
        port->set_held(true);
        port->set_own(true);
        port->set_pid(pid);
        for (const auto& check : of_host(views, {.master_port = 29500, .master_port_error = EADDRINUSE})) {
            for (const auto& fix : check.fixes) {
                EXPECT_EQ(fix.command.find("kill"), std::string::npos) << fix.command;
            }
        }
    }
}

TEST_F(FixAttacks, TheNameOfANodeIsOneWordOfClean) {
    std::size_t tried = 0;
    for (const auto& attack : hostile_texts(mark_)) {
        // A name with a blank gets no command; the others are quoted.
        for (const std::string& name : {attack, "x;touch${IFS}" + mark_, "$(touch${IFS}" + mark_ + ")"}) {
            std::vector<NodeView> views(1);
            views[0].name = name;
            auto* port = views[0].host.add_ports();
            port->set_port(29500);
            port->set_held(true);
            port->set_own(true);
            port->set_run_id("20261122-1");
            port->set_command(attack);
            for (const auto& check :
                 of_host(views, {.master_port = 29500, .master_port_error = EADDRINUSE})) {
                for (const auto& fix : check.fixes) {
                    if (!fix.command.empty()) {
                        ++tried;
                        run("rankscopectl() { :; }; " + fix.command);
                    }
                }
            }
        }
    }
    EXPECT_GT(tried, 0U);
}

TEST_F(FixAttacks, TheNameOfAnInterfaceIsOneWord) {
    std::size_t tried = 0;
    for (const auto& attack : hostile_texts(mark_)) {
        for (const std::string& name : {attack, "x;touch${IFS}" + mark_, "$(touch${IFS}" + mark_ + ")"}) {
            auto views = views_;
            auto* interface = views[0].host.add_interfaces();
            interface->set_name(name);
            interface->set_loopback(true);
            for (const auto& check : of_host(views, {})) {
                for (const auto& fix : check.fixes) {
                    ++tried;
                    run("ip() { :; }; " + fix.command);
                    run("ip() { :; }; " + fix.undo);
                }
            }
        }
    }
    EXPECT_GT(tried, 0U);
}

TEST_F(FixAttacks, NamesOfAFirewallAreChecked) {
    for (const auto& attack : hostile_texts(mark_)) {
        EXPECT_FALSE(nft_chain_name(attack, "filter", "input")) << attack;
        EXPECT_FALSE(nft_chain_name("inet", attack, "input")) << attack;
        EXPECT_FALSE(nft_chain_name("inet", "filter", attack)) << attack;
    }
    EXPECT_TRUE(nft_chain_name("inet", "my-filter", "input_2"));
}

TEST_F(FixAttacks, SettingsOfANodeAreNoKeysOfTheJob) {
    for (const auto& attack : hostile_texts(mark_)) {
        auto views = views_;
        for (std::size_t i = 1; i < views.size(); ++i) {
            for (const auto& [name, value] : {std::pair("NCCL_" + attack, std::string("1")),
                                              std::pair(std::string("NCCL_ALGO"), "Ring\n" + attack)}) {
                auto* setting = views[i].host.add_nccl_settings();
                setting->set_name(name);
                setting->set_value(value);
                setting->set_source("environment");
            }
        }
        for (const auto& check : of_host(views, {.nccl = true})) {
            for (const auto& fix : check.fixes) {
                EXPECT_TRUE(fix.job.empty()) << attack;
            }
        }
    }
}

}  // namespace
}  // namespace rankscope
