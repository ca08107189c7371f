// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The commands that open a firewall; that they do is shown by firewall_real_test.cpp.

#include <base/files.h>
#include <remote/desk/preflight/firewall_fix.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

wire::Firewall firewall(const std::string& kind, const std::string& rules, const std::string& zones = {},
                        const std::string& status = {}) {
    const auto data = [](const std::string& name) {
        return name.empty() ? std::string()
                            : read_file(std::string(RANKSCOPE_TEST_DATA "/firewall/") + name).value_or("");
    };
    wire::Firewall firewall;
    firewall.set_kind(kind);
    firewall.set_rules(data(rules));
    firewall.set_zones(data(zones));
    firewall.set_status(data(status));
    return firewall;
}

FirewallOpening opening(std::vector<std::string> peers, int first, int last) {
    return {.node = "node1",
            .interface_name = "ens1",
            .address = "10.0.0.1",
            .peers = std::move(peers),
            .first_port = first,
            .last_port = last};
}

TEST(FirewallFix, Nftables) {
    const auto fixes = firewall_fixes(firewall("nftables", "nftables.json"),
                                      opening({"10.0.0.2", "10.0.0.3", "fd00::2"}, 6000, 6009));
    ASSERT_EQ(fixes.size(), 1U);
    EXPECT_EQ(fixes[0].node, "node1");
    EXPECT_TRUE(fixes[0].needs_root);
    EXPECT_EQ(
        fixes[0].command,
        "sudo nft insert rule inet filter input ip saddr '{ 10.0.0.2, 10.0.0.3 }' tcp dport 6000-6009 accept "
        "comment rankscope-6000-6009-e7a92db2 && sudo nft insert rule inet filter input ip6 saddr fd00::2 "
        "tcp "
        "dport 6000-6009 accept comment rankscope-6000-6009-cd70fcf0");
    EXPECT_EQ(
        fixes[0].undo,
        "sudo sh -c 'for handle in $(nft -a list chain inet filter input | grep -F "
        "rankscope-6000-6009-e7a92db2 | grep -o \"[0-9]*$\"); do nft delete rule inet filter input handle "
        "$handle; done' && sudo sh -c 'for handle in $(nft -a list chain inet filter input | grep -F "
        "rankscope-6000-6009-cd70fcf0 | grep -o \"[0-9]*$\"); do nft delete rule inet filter input handle "
        "$handle; done'");
}

TEST(FirewallFix, OnlyWhereAndForWhomItIsBlocked) {
    const auto nft = firewall("nftables", "nftables.json");
    EXPECT_TRUE(firewall_fixes(nft, opening({"10.0.0.2"}, 29500, 29500)).empty()) << "it is open";
    const auto fixes = firewall_fixes(nft, opening({"10.0.0.2", "10.9.8.7"}, 29500, 29500));
    ASSERT_EQ(fixes.size(), 1U);
    EXPECT_NE(fixes[0].command.find("ip saddr 10.9.8.7 tcp"), std::string::npos) << fixes[0].command;
    // Two chains that drop: a rule for each.
    const auto both = firewall_fixes(nft, opening({"10.6.6.6"}, 6000, 6000));
    ASSERT_EQ(both.size(), 1U);
    EXPECT_NE(both[0].command.find("ip raw prerouting"), std::string::npos) << both[0].command;
    EXPECT_NE(both[0].command.find("inet filter input"), std::string::npos) << both[0].command;
}

TEST(FirewallFix, Iptables) {
    const auto fixes = firewall_fixes(firewall("iptables", "iptables.txt"),
                                      opening({"10.0.0.2", "10.0.0.3", "fd00::2"}, 29500, 29510));
    ASSERT_EQ(fixes.size(), 1U);
    EXPECT_EQ(fixes[0].command,
              "sudo iptables -I INPUT -s 10.0.0.2,10.0.0.3 -p tcp --dport 29500:29510 -m comment --comment "
              "rankscope -j "
              "ACCEPT && sudo ip6tables -I INPUT -s fd00::2 -p tcp --dport 29500:29510 -m comment --comment "
              "rankscope "
              "-j ACCEPT");
    EXPECT_EQ(fixes[0].undo,
              "sudo iptables -D INPUT -s 10.0.0.2,10.0.0.3 -p tcp --dport 29500:29510 -m comment --comment "
              "rankscope -j "
              "ACCEPT && sudo ip6tables -D INPUT -s fd00::2 -p tcp --dport 29500:29510 -m comment --comment "
              "rankscope "
              "-j ACCEPT");
    const auto raw = firewall_fixes(firewall("iptables", "iptables.txt"), opening({"10.6.6.6"}, 22, 22));
    ASSERT_EQ(raw.size(), 1U);
    EXPECT_EQ(raw[0].command,
              "sudo iptables -t raw -I PREROUTING -s 10.6.6.6 -p tcp --dport 22 -m comment --comment "
              "rankscope -j ACCEPT");
}

TEST(FirewallFix, Ufw) {
    for (const char* rules : {"ufw.txt", ""}) {
        const auto fixes =
            firewall_fixes(firewall("ufw", rules, "", "ufw.status"), opening({"10.0.0.3"}, 29600, 29601));
        ASSERT_EQ(fixes.size(), 1U);
        EXPECT_EQ(fixes[0].command,
                  "sudo ufw prepend allow proto tcp from 10.0.0.3 to any port 29600:29601 comment rankscope");
        EXPECT_EQ(fixes[0].undo, "sudo ufw delete allow proto tcp from 10.0.0.3 to any port 29600:29601");
    }
    const auto unknown = firewall_fixes(firewall("ufw", ""), opening({"10.0.0.3"}, 29600, 29600));
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_EQ(unknown[0].command,
              "sudo ufw allow proto tcp from 10.0.0.3 to any port 29600 comment rankscope");
}

TEST(FirewallFix, Firewalld) {
    for (const char* rules : {"firewalld.json", ""}) {
        const auto fixes = firewall_fixes(firewall("firewalld", rules, "firewalld.zones"),
                                          opening({"10.6.0.2", "10.6.0.3"}, 29500, 29500));
        ASSERT_EQ(fixes.size(), 1U);
        EXPECT_EQ(
            fixes[0].command,
            "sudo firewall-cmd --zone=drop --add-rich-rule='rule family=\"ipv4\" source address=\"10.6.0.2\" "
            "port "
            "port=\"29500\" protocol=\"tcp\" accept' --add-rich-rule='rule family=\"ipv4\" source "
            "address=\"10.6.0.3\" port port=\"29500\" protocol=\"tcp\" accept' && sudo firewall-cmd "
            "--permanent "
            "--zone=drop --add-rich-rule='rule family=\"ipv4\" source address=\"10.6.0.2\" port "
            "port=\"29500\" "
            "protocol=\"tcp\" accept' --add-rich-rule='rule family=\"ipv4\" source address=\"10.6.0.3\" port "
            "port=\"29500\" protocol=\"tcp\" accept'");
        EXPECT_NE(fixes[0].undo.find("--permanent --zone=drop --remove-rich-rule="), std::string::npos);
        const auto behind = firewall_fixes(firewall("firewalld", rules, "firewalld.zones"),
                                           opening({"10.0.0.7"}, 29501, 29501));
        ASSERT_EQ(behind.size(), 1U);
        EXPECT_NE(behind[0].command.find("--zone=public --add-rich-rule='rule priority=\"-6\" family"),
                  std::string::npos)
            << behind[0].command;
    }
    const auto unknown = firewall_fixes(firewall("firewalld", ""), opening({"10.0.0.3"}, 29600, 29600));
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_TRUE(unknown[0].command.starts_with("sudo firewall-cmd --add-rich-rule='rule family="))
        << "the default zone";
}

TEST(FirewallFix, NothingIsGuessed) {
    EXPECT_TRUE(firewall_fixes(firewall("nftables", ""), opening({"10.0.0.2"}, 29500, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(firewall("iptables", ""), opening({"10.0.0.2"}, 29500, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(firewall("none", ""), opening({"10.0.0.2"}, 29500, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(firewall("", "iptables.txt"), opening({"10.0.0.2"}, 29500, 29500)).empty());
    const auto ufw = firewall("ufw", "ufw.txt", "", "ufw.status");
    EXPECT_TRUE(firewall_fixes(ufw, opening({"node2; reboot"}, 29500, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(ufw, opening({"10.0.0.2"}, 29501, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(ufw, opening({"10.0.0.2"}, 0, 29500)).empty());
    EXPECT_TRUE(firewall_fixes(ufw, opening({"10.0.0.2"}, 1, 70000)).empty());
    wire::Firewall hostile;
    hostile.set_kind("nftables");
    hostile.set_rules(
        R"({"nftables":[{"chain":{"family":"inet","table":"t; reboot","name":"c","hook":"input","prio":0,)"
        R"("type":"filter","policy":"drop"}}]})");
    EXPECT_TRUE(firewall_fixes(hostile, opening({"10.0.0.2"}, 29500, 29500)).empty()) << "not a name";
    wire::Firewall zones;
    zones.set_kind("firewalld");
    zones.set_zones("pub$(reboot)\n  target: default\n  interfaces: ens1\n");
    EXPECT_TRUE(firewall_fixes(zones, opening({"10.0.0.2"}, 29500, 29500)).empty());
}

}  // namespace
}  // namespace rankscope
