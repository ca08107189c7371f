// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The firewall that an inspection finds, each one real in a network namespace of its own.

#include "support/host_inspection_fixture.h"
#include "support/scoped_environment.h"

#include <unistd.h>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

TEST_F(HostInspection, RulesOfNftablesInThisNamespaceAlone) {
    if (test::find_on_path("nft").empty()) {
        GTEST_SKIP() << "nft is not installed";
    }
    const auto none = look_after([] { return enter(CLONE_NEWNET); });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(none.firewall().kind(), "none") << unseen_text(none);
    EXPECT_EQ(none.firewall().seen_by(), "root");
    EXPECT_FALSE(none.firewall().active());
    const auto found = look_after([] {
        std::string problem = enter(CLONE_NEWNET);
        return problem.empty() ? run({"nft", "-f", "-"},
                                     "table inet guard { chain in { type filter hook input priority 0; "
                                     "policy accept; tcp dport 29500 "
                                     "drop\n}\n}\n")
                               : problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(found.firewall().kind(), "nftables");
    EXPECT_TRUE(found.firewall().active());
    EXPECT_NE(found.firewall().rules().find("\"guard\""), std::string::npos);
    EXPECT_NE(found.firewall().rules().find("29500"), std::string::npos);
    const auto denied = look_after([] {
        std::string problem = enter(CLONE_NEWNET);
        problem = problem.empty() ? run({"nft", "add", "table", "inet", "guard"}) : problem;
        return problem.empty() && ::setuid(65534) != 0 ? "no other user" : problem;
    });
    EXPECT_EQ(denied.firewall().seen_by(), "");
    EXPECT_EQ(denied.firewall().kind(), "");
    EXPECT_TRUE(is_unseen(denied, "firewall.rules"));
    EXPECT_FALSE(denied.sudo());
}

TEST_F(HostInspection, NftablesWithoutItsProgram) {
    const std::string nft = test::find_on_path("nft");
    if (nft.empty()) {
        GTEST_SKIP() << "nft is not installed";
    }
    const auto found = look_after([&nft] {
        std::string problem = enter(CLONE_NEWNET | CLONE_NEWNS);
        problem = problem.empty() ? run({"nft", "add", "table", "inet", "guard"}) : problem;
        problem = problem.empty() ? run({"nft", "add", "chain", "inet", "guard", "in",
                                         "{ type filter hook input priority 0; policy drop; }"})
                                  : problem;
        return problem.empty() && ::mount("/dev/null", nft.c_str(), nullptr, MS_BIND, nullptr) != 0
                   ? "nft cannot be hidden"
                   : problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(found.firewall().kind(), "nftables") << unseen_text(found);
    EXPECT_TRUE(found.firewall().active());
    EXPECT_TRUE(found.firewall().rules().empty());
    EXPECT_TRUE(is_unseen(found, "firewall.rules"));
}

TEST_F(HostInspection, RulesOfBothKindsOfIptables) {
    for (const char* program : {"iptables-nft", "iptables-legacy"}) {
        if (test::find_on_path(program).empty()) {
            GTEST_SKIP() << program << " is not installed";
        }
        const auto found = look_after([program] {
            std::string problem = enter(CLONE_NEWNET);
            return problem.empty()
                       ? run({program, "-A", "INPUT", "-p", "tcp", "--dport", "29500", "-j", "REJECT"})
                       : problem;
        });
        SKIP_IF_NOT_POSSIBLE();
        EXPECT_EQ(found.firewall().kind(), "iptables") << program << ' ' << unseen_text(found);
        EXPECT_TRUE(found.firewall().active());
        EXPECT_NE(found.firewall().rules().find("-A INPUT -p tcp -m tcp --dport 29500 -j REJECT"),
                  std::string::npos)
            << found.firewall().rules();
    }
}

TEST_F(HostInspection, UfwByItsChains) {
    if (test::find_on_path("iptables-nft").empty()) {
        GTEST_SKIP() << "iptables-nft is not installed";
    }
    fs::create_directories(folder_ / "ufw");
    test::write_text(folder_ / "ufw/ufw.conf", "ENABLED=yes\n");
    const auto found = look_after([this] {
        std::string problem = enter(CLONE_NEWNET | CLONE_NEWNS);
        if (problem.empty() &&
            (!fs::is_directory("/etc/ufw") ||
             ::mount((folder_ / "ufw").c_str(), "/etc/ufw", nullptr, MS_BIND, nullptr) != 0)) {
            problem = "ufw is not installed";
        }
        problem = problem.empty() ? run({"iptables-nft", "-N", "ufw-user-input"}) : problem;
        return problem.empty() ? run({"iptables-nft", "-A", "INPUT", "-j", "ufw-user-input"}) : problem;
    });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(found.firewall().kind(), "ufw") << unseen_text(found);
    EXPECT_NE(found.firewall().rules().find("ufw-user-input"), std::string::npos);
}

TEST_F(HostInspection, FirewalldByItsProcessOfThisNamespace) {
    for (const char* program : {"firewalld", "firewall-cmd", "dbus-daemon"}) {
        if (test::find_on_path(program).empty()) {
            GTEST_SKIP() << program << " is not installed";
        }
    }
    const auto found = look_with_services([] {
        return run(
            {"sh", "-c",
             "mount -t tmpfs tmpfs /run && mkdir -p /run/lock /run/dbus && ip link set lo up && "
             "dbus-daemon --system --fork --nopidfile && { firewalld --nofork --nopid >/dev/null 2>&1 & } && "
             "for i in $(seq 300); do firewall-cmd --state >/dev/null 2>&1 && break; sleep 0.1; done && "
             "firewall-cmd --zone=public --add-port=29501/tcp"});
    });
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(found.firewall().kind(), "firewalld") << unseen_text(found);
    EXPECT_TRUE(found.firewall().active());
    EXPECT_NE(found.firewall().rules().find("filter_IN_public"), std::string::npos);
    EXPECT_NE(found.firewall().zones().find("29501/tcp"), std::string::npos) << unseen_text(found);
}

// A program by that name: what real sudo permits is the node's matter.
TEST_F(HostInspection, RulesThroughSudoThatAsksForNoPassword) {
    test::write_text(
        folder_ / "sudo",
        "#!/bin/sh\n[ \"$1\" = -n ] || exit 1\ncase \"$2 $3\" in\n'-l ') exit 0;;\n'true ') exit 1;;\n"
        "*nft*) echo '{\"nftables\": [{\"chain\": {\"family\": \"inet\", \"table\": \"t\", \"hook\": "
        "\"input\", \"policy\": \"drop\"}}]}';;\n*) exit 1;;\nesac\n");
    fs::permissions(folder_ / "sudo", fs::perms::all);
    fs::permissions(folder_.path(), fs::perms::all);
    if (test::find_on_path("nft").empty()) {
        GTEST_SKIP() << "nft is not installed";
    }
    const test::ScopedEnvironment search("PATH", folder_.path().string() + ":/usr/sbin:/usr/bin:/bin");
    const auto as_user = [] {
        return std::string(::setuid(65534) == 0 || ::getuid() != 0 ? "" : "no other user");
    };
    const auto found = look_after(as_user);
    SKIP_IF_NOT_POSSIBLE();
    EXPECT_EQ(found.firewall().kind(), "nftables") << unseen_text(found);
    EXPECT_EQ(found.firewall().seen_by(), "sudo");
    EXPECT_FALSE(found.sudo()) << "some commands are permitted, not all";
    request_.set_quick(true);
    EXPECT_EQ(look_after(as_user).firewall().seen_by(), "") << "a quick inspection does not ask";
}

}  // namespace
}  // namespace rankscope::agent
