// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Real firewalls in network namespaces: what the desk says of a connection is what the connection meets, and the fix
// that it prints opens it and can be taken back.

#include "support/firewalled_node.h"

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall_fix.h>
#include <remote/desk/runs/preflight/firewall_rules.h>

#include <gtest/gtest.h>

#include <functional>

namespace rankscope {
namespace {

using test::FirewalledNode;
using enum FirewallAnswer;

class RealFirewall : public ::testing::Test {
protected:
    /// Skips without root, the programs, or the kernel's part.
    void start(const std::vector<std::string>& programs) {
        const auto missing = node_.start(programs);
        if (!missing.empty()) {
            GTEST_SKIP() << missing;
        }
    }
    void sh(const std::string& commands) { ASSERT_EQ(node_.sh(commands), "") << commands; }

    wire::Firewall inspected(const std::string& kind) {
        auto found = node_.inspected();
        EXPECT_EQ(found.kind(), kind);
        return found;
    }

    static FirewallFlow flow(int port, bool v6 = false) {
        return {.interface_name = "ens1",
                .from = v6 ? "fd99::2" : "10.99.0.2",
                .to = v6 ? "fd99::1" : "10.99.0.1",
                .port = port};
    }

    static FirewallFlow outgoing(int port) {
        return {
            .interface_name = "ens1", .from = "10.99.0.1", .to = "10.99.0.2", .port = port, .outgoing = true};
    }

    void expect(const wire::Firewall& firewall, const FirewallFlow& flow, FirewallAnswer answer) {
        const auto decision = decide(firewall, flow);
        const auto name = flow.from + " to port " + std::to_string(flow.port) + ", rule: " + decision.rule;
        EXPECT_STREQ(to_string(decision.answer), to_string(answer)) << name;
        EXPECT_STREQ(to_string(node_.connect(flow, answer)), to_string(answer)) << name;
    }

    /// Prints the fix, applies it, and takes it back.
    void expect_fix(const std::function<wire::Firewall()>& report, const FirewallFlow& flow,
                    FirewallAnswer before, const FirewallFlow& untouched) {
        const auto found = report();
        const auto rules_before = node_.rules();
        EXPECT_STREQ(to_string(node_.connect(flow, before)), to_string(before));
        const auto fixes = firewall_fixes(found, {.node = "node1",
                                                  .interface_name = "ens1",
                                                  .address = flow.outgoing ? flow.from : flow.to,
                                                  .peers = {flow.outgoing ? flow.to : flow.from},
                                                  .first_port = flow.port,
                                                  .last_port = flow.port + 2,
                                                  .outgoing = flow.outgoing});
        ASSERT_EQ(fixes.size(), 1U) << found.kind() << ' ' << flow.from << ' ' << flow.port;
        const auto& fix = fixes.front();
        EXPECT_TRUE(fix.command.starts_with("sudo ") && fix.undo.starts_with("sudo ") && fix.needs_root);
        sh(fix.command);
        EXPECT_STREQ(to_string(node_.connect(flow, Accept)), "accept") << fix.command;
        const auto decision = decide(report(), flow);
        EXPECT_NE(to_string(decision.answer), std::string("drop")) << decision.rule;
        EXPECT_NE(to_string(decision.answer), std::string("reject")) << decision.rule;
        EXPECT_TRUE(is_blocked(node_.connect(untouched, Drop))) << "only these ports, only for this peer";
        sh(fix.undo);
        EXPECT_STREQ(to_string(node_.connect(flow, before)), to_string(before)) << fix.undo;
        EXPECT_EQ(node_.rules(), rules_before) << fix.undo;
    }

    FirewalledNode node_;
};

TEST_F(RealFirewall, Nftables) {
    ASSERT_NO_FATAL_FAILURE(start({"nft"}));
    if (IsSkipped()) {
        return;
    }
    sh(R"(nft -f - <<'END'
table inet early {
	chain input {
		type filter hook input priority -10; policy accept;
		tcp dport { 29504, 29505 } drop
	}
}
table inet filter {
	set peers {
		type ipv4_addr
		flags interval
		elements = { 10.99.0.0/30 }
	}
	chain later {
		tcp dport 29502 reject with tcp reset
		tcp dport 29503 reject
		ip saddr @peers tcp dport 29510-29519 accept
	}
	chain input {
		type filter hook input priority filter; policy drop;
		ct state vmap { established : accept, related : accept, invalid : drop }
		iifname "lo" accept
		meta l4proto { icmp, ipv6-icmp } accept
		tcp dport 29501 accept
		iifname "en*" jump later
	}
	chain output {
		type filter hook output priority filter; policy accept;
		oifname "ens1" tcp dport 29520 drop
		tcp dport 29521 reject with tcp reset
	}
}
END)");
    const auto report = [&] { return inspected("nftables"); };
    const auto found = report();
    for (const bool v6 : {false, true}) {
        expect(found, flow(29500, v6), Drop);
        expect(found, flow(29501, v6), Accept);
        expect(found, flow(29502, v6), Reject);
        expect(found, flow(29503, v6), Reject);
        expect(found, flow(29504, v6), Drop);
        expect(found, flow(29515, v6), v6 ? Drop : Accept);
    }
    expect(found, outgoing(29500), Accept);
    expect(found, outgoing(29521), Reject);
    for (const bool v6 : {false, true}) {
        expect_fix(report, flow(29530, v6), Drop, flow(29533, v6));
        expect_fix(report, flow(29502, v6), Reject, flow(29500, v6));
        expect_fix(report, flow(29504, v6), Drop, flow(29500, v6));
    }
    expect_fix(report, outgoing(29520), Drop, flow(29520));
    expect_fix(report, outgoing(29521), Reject, outgoing(29520));
}

TEST_F(RealFirewall, Iptables) {
    for (const char* backend : {"nft", "legacy"}) {
        ASSERT_NO_FATAL_FAILURE(start({"iptables-" + std::string(backend)}));
        if (IsSkipped()) {
            return;
        }
        node_.use_iptables(backend);
        if (!node_.sh("iptables -nL && ip6tables -nL && iptables -t raw -nL").empty()) {
            GTEST_SKIP() << "the kernel has no iptables-" << backend;
        }
        for (const std::string program : {"iptables", "ip6tables"}) {
            sh(program + " -P INPUT DROP; " + program + " -N later; " + program +
               " -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT; " + program +
               " -A INPUT -p " + (program == "iptables" ? "icmp" : "ipv6-icmp") + " -j ACCEPT; " + program +
               " -A INPUT -p tcp --dport 29501 -j ACCEPT; " + program + " -A INPUT -i en+ -j later; " +
               program +
               " -A later -p tcp -m multiport --dports 29502,29504 -j REJECT --reject-with tcp-reset; " +
               program + " -A later -p tcp --dport 29503 -j REJECT; " + program +
               " -t raw -A PREROUTING -p tcp --dport 29505:29508 -j DROP; " + program +
               " -A OUTPUT -p tcp --dport 29520 -j DROP");
        }
        const auto report = [&] { return inspected("iptables"); };
        const auto found = report();
        for (const bool v6 : {false, true}) {
            expect(found, flow(29500, v6), Drop);
            expect(found, flow(29501, v6), Accept);
            expect(found, flow(29502, v6), Reject);
            expect(found, flow(29503, v6), Reject);
            expect(found, flow(29505, v6), Drop);
            expect_fix(report, flow(29530, v6), Drop, flow(29533, v6));
            expect_fix(report, flow(29502, v6), Reject, flow(29500, v6));
            expect_fix(report, flow(29506, v6), Drop, flow(29505, v6));
        }
        expect(found, outgoing(29500), Accept);
        expect_fix(report, outgoing(29520), Drop, flow(29520));
        // The same rules as nft sees them: what iptables keeps there is not all readable, but no answer is wrong.
        if (std::string(backend) == "nft") {
            const auto by_nft = node_.nftables();
            EXPECT_EQ(decide(by_nft, flow(29501)).answer, Accept);
            EXPECT_EQ(decide(by_nft, flow(29502)).answer, Unknown) << "multiport";
            expect_fix([&] { return node_.nftables(); }, flow(29530), Drop, flow(29533));
        }
    }
}

TEST_F(RealFirewall, Ufw) {
    ASSERT_NO_FATAL_FAILURE(start({"ufw", "iptables"}));
    if (IsSkipped()) {
        return;
    }
    sh("ufw --force enable && ufw allow 29501/tcp && ufw allow proto tcp from 10.99.0.2 to any port "
       "29510:29519");
    const auto report = [&] { return inspected("ufw"); };
    const auto by_status = [&] {
        auto found = report();
        found.clear_rules();
        found.clear_other_rules();
        return found;
    };
    for (const auto& found : {report(), by_status()}) {
        for (const bool v6 : {false, true}) {
            expect(found, flow(29500, v6), Drop);
            expect(found, flow(29501, v6), Accept);
            expect(found, flow(29515, v6), v6 ? Drop : Accept);
        }
        expect(found, outgoing(29500), Accept);
    }
    for (const bool v6 : {false, true}) {
        expect_fix(report, flow(29530, v6), Drop, flow(29533, v6));
        expect_fix(by_status, flow(29530, v6), Drop, flow(29533, v6));
    }
    // The user's own rules come first, and so must the fix.
    sh("ufw reject 29502/tcp && ufw deny proto tcp from 10.99.0.0/24 to any port 29540:29549");
    for (const auto& found : {report(), by_status()}) {
        expect(found, flow(29502), Reject);
        expect(found, flow(29502, true), Reject);
        expect(found, flow(29541), Drop);
    }
    expect_fix(report, flow(29502), Reject, flow(29500));
    expect_fix(by_status, flow(29502, true), Reject, flow(29500));
    expect_fix(report, flow(29541), Drop, flow(29544));
    // A rule before those of ufw is not one that ufw can open.
    sh("iptables -I INPUT -p tcp --dport 29550:29559 -j DROP");
    expect_fix(report, flow(29550), Drop, flow(29555));
}

TEST_F(RealFirewall, Firewalld) {
    ASSERT_NO_FATAL_FAILURE(start({"firewalld", "firewall-cmd", "dbus-daemon", "nft"}));
    if (IsSkipped()) {
        return;
    }
    const auto problem = node_.start_firewalld();
    ASSERT_EQ(problem, "");
    sh("firewall-cmd --zone=public --add-interface=ens1 && firewall-cmd --zone=public --add-port=29501/tcp");
    const auto report = [&] { return inspected("firewalld"); };
    const auto by_zones = [&] {
        auto found = report();
        found.clear_rules();
        found.clear_other_rules();
        return found;
    };
    for (const auto& found : {report(), by_zones()}) {
        expect(found, flow(29500), Reject);
        expect(found, flow(29501), Accept);
        expect(found, flow(29500, true), Reject);
        // By the rules, the filter against forged sources may drop it: that depends on routes.
        const auto decision = decide(found, flow(29501, true));
        EXPECT_EQ(decision.answer, found.rules().empty() ? Accept : Unknown) << decision.rule;
        EXPECT_STREQ(to_string(node_.connect(flow(29501, true), Accept)), "accept");
    }
    for (const bool v6 : {false, true}) {
        expect_fix(report, flow(29530, v6), Reject, flow(29533, v6));
        expect_fix(by_zones, flow(29530, v6), Reject, flow(29533, v6));
    }
    sh(R"(firewall-cmd --zone=public --add-rich-rule='rule family="ipv4" source address="10.99.0.2" port port="29540-29549" protocol="tcp" drop' &&
          firewall-cmd --zone=public --add-rich-rule='rule priority="-7" family="ipv4" port port="29550-29559" protocol="tcp" reject')");
    for (const auto& found : {report(), by_zones()}) {
        expect(found, flow(29541), Drop);
        expect(found, flow(29551), Reject);
    }
    expect_fix(report, flow(29541), Drop, flow(29544));
    expect_fix(by_zones, flow(29551), Reject, flow(29554));
    // The peer's zone is the one of its address.
    sh("firewall-cmd --zone=drop --add-source=10.99.0.2/32");
    for (const auto& found : {report(), by_zones()}) {
        expect(found, flow(29501), Drop);
    }
    expect_fix(report, flow(29530), Drop, flow(29533));
    expect_fix(by_zones, flow(29530), Drop, flow(29533));
    // A table of the user's own beside firewalld's.
    sh("firewall-cmd --zone=drop --remove-source=10.99.0.2/32 && nft add table inet own && "
       "nft 'add chain inet own input { type filter hook input priority -5; }' && "
       "nft add rule inet own input tcp dport 29560-29569 drop");
    expect_fix(report, flow(29560), Drop, flow(29565));
}

/// The backend that it had before nftables.
TEST_F(RealFirewall, FirewalldWithIptables) {
    ASSERT_NO_FATAL_FAILURE(start({"firewalld", "firewall-cmd", "dbus-daemon", "iptables"}));
    if (IsSkipped()) {
        return;
    }
    sh("sed -i 's/^FirewallBackend=.*/FirewallBackend=iptables/' /etc/firewalld/firewalld.conf");
    const auto problem = node_.start_firewalld();
    ASSERT_EQ(problem, "");
    sh("firewall-cmd --zone=public --add-interface=ens1 && firewall-cmd --zone=public --add-port=29501/tcp");
    const auto report = [&] { return inspected("firewalld"); };
    const auto found = report();
    expect(found, flow(29501), Accept);
    EXPECT_EQ(decide(found, flow(29501)).place, "zone public");
    EXPECT_EQ(decide(found, flow(29501, true)).rule,
              "-A PREROUTING -m rpfilter --validmark --invert -j DROP");
    for (const bool v6 : {false, true}) {
        expect(found, flow(29500, v6), Reject);
        expect_fix(report, flow(29530, v6), Reject, flow(29533, v6));
    }
}

}  // namespace
}  // namespace rankscope
