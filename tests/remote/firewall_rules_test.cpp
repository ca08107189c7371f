// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The rule that decides, of rules that real firewalls printed (tests/data/firewall/capture).

#include <base/files.h>
#include <remote/desk/runs/preflight/firewall_rules.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

std::string data(const std::string& name) {
    const auto text = read_file(std::string(RANKSCOPE_TEST_DATA "/firewall/") + name);
    EXPECT_TRUE(text) << name;
    return text.value_or("");
}

FirewallFlow incoming(const std::string& from, int port) {
    const bool v6 = from.find(':') != std::string::npos;
    return {.interface_name = "ens1", .from = from, .to = v6 ? "fd00::1" : "10.0.0.1", .port = port};
}

FirewallFlow outgoing(const std::string& to, int port) {
    return {.interface_name = "ens1", .from = "10.0.0.1", .to = to, .port = port, .outgoing = true};
}

wire::Firewall nft(const std::string& rules) {
    wire::Firewall firewall;
    firewall.set_kind("nftables");
    firewall.set_rules(rules);
    return firewall;
}

wire::Firewall iptables(const std::string& rules) {
    wire::Firewall firewall;
    firewall.set_kind("iptables");
    firewall.set_rules(rules);
    return firewall;
}

struct Expected {
    FirewallFlow flow;
    FirewallAnswer answer;
    std::string rule;
};

void expect_all(const wire::Firewall& firewall, const std::vector<Expected>& cases) {
    const FirewallRules rules(firewall);
    for (const auto& each : cases) {
        const auto decision = rules.decide(each.flow);
        EXPECT_STREQ(to_string(decision.answer), to_string(each.answer))
            << each.flow.from << " -> " << each.flow.to << ':' << each.flow.port << ' ' << decision.rule;
        EXPECT_EQ(decision.rule, each.rule)
            << each.flow.from << " -> " << each.flow.to << ':' << each.flow.port;
    }
}

TEST(FirewallRules, NftFindsTheRuleThatDecides) {
    using enum FirewallAnswer;
    const auto services = "tcp dport vmap @services";
    expect_all(
        nft(data("nftables.json")),
        {
            {incoming("10.0.0.2", 22), Accept, services},
            {incoming("10.0.0.2", 29501), Drop, services},
            {incoming("10.0.0.2", 29502), Accept, "ip saddr @peers accept"},
            {incoming("10.1.0.9", 29502), Accept, "ip saddr @peers accept"},
            {incoming("10.1.0.10", 29502), Reject, "meta l4proto tcp reject with tcp reset"},
            {incoming("10.0.0.2", 29500), Accept, "tcp dport 29500 accept"},
            {incoming("10.9.8.7", 29500), Reject,
             "ip saddr != @peers tcp dport 29500 log prefix \"peers: \" counter reject with icmpx "
             "admin-prohibited"},
            {incoming("10.0.0.2", 29503), Reject, "tcp dport 29503 reject with icmp port-unreachable"},
            {incoming("10.0.0.2", 9005), Accept,
             "iifname \"ens*\" tcp dport { 8000, 9000-9010 } accept comment \"web and more\""},
            {incoming("10.0.0.2", 9011), Drop, "policy drop"},
            {incoming("10.0.0.2", 29504), Drop, "policy drop"},
            {incoming("10.0.0.2", 29506), Unknown, "ether saddr 00:11:22:33:44:55 tcp dport 29506 accept"},
            {incoming("10.0.0.2", 29507), Drop, "policy drop"},
            {incoming("10.0.0.2", 29508), Accept, "th dport 29508 accept"},
            {incoming("10.8.0.1", 4000), Accept,
             "ip saddr vmap { 10.8.0.1 : accept, 10.9.0.0/24 : goto only_peers }"},
            {incoming("10.9.0.77", 4000), Reject, "meta l4proto tcp reject with tcp reset"},
            {incoming("10.0.0.9", 80), Accept,
             "ip saddr . tcp dport { 10.0.0.9 . 80, 10.0.0.10 . 1000-2000 } accept"},
            {incoming("10.0.0.10", 1500), Accept,
             "ip saddr . tcp dport { 10.0.0.9 . 80, 10.0.0.10 . 1000-2000 } accept"},
            {incoming("10.0.0.9", 1500), Drop, "policy drop"},
            {incoming("10.6.6.6", 22), Drop, "ip saddr 10.6.6.6 drop"},
            {incoming("10.0.0.2", 8080), Drop, "policy drop"},
            {incoming("fd00::2", 9011), Drop, "policy drop"},
            {incoming("fd00::2", 29600), Unknown, "fib saddr . iif oif missing drop"},
            {outgoing("10.7.1.1", 30001), Reject,
             "oifname \"ens*\" ip daddr 10.7.0.0/16 tcp dport 30000-40000 reject with icmp "
             "port-unreachable"},
            {outgoing("10.7.1.1", 29999), Accept, "policy accept"},
        });
    EXPECT_EQ(decide(nft(data("nftables.json")), incoming("10.0.0.2", 9011)).place, "inet filter input");
    EXPECT_EQ(decide(nft(data("nftables.json")), incoming("10.0.0.2", 29501)).place, "inet filter later");
    auto unknown_interface = incoming("10.0.0.2", 9005);
    unknown_interface.interface_name.clear();
    EXPECT_EQ(decide(nft(data("nftables.json")), unknown_interface).answer, FirewallAnswer::Unknown);
}

TEST(FirewallRules, IptablesFindsTheRuleThatDecides) {
    using enum FirewallAnswer;
    expect_all(
        iptables(data("iptables.txt")),
        {
            {incoming("10.0.0.2", 22), Accept,
             R"(-A INPUT -p tcp -m tcp --dport 22 -m comment --comment "-j \"DROP\" ! not" -j ACCEPT)"},
            {incoming("10.0.0.2", 29500), Accept, "-A TRUSTED -s 10.0.0.0/24 -p tcp -j ACCEPT"},
            {incoming("10.0.0.5", 29500), Drop, "-P INPUT DROP"},
            {incoming("10.0.0.2", 29501), Reject,
             "-A INPUT -p tcp -m multiport --dports 29501,29600:29610 -j REJECT --reject-with tcp-reset"},
            {incoming("10.0.0.2", 29605), Reject,
             "-A INPUT -p tcp -m multiport --dports 29501,29600:29610 -j REJECT --reject-with tcp-reset"},
            {incoming("10.0.0.2", 60000), Reject,
             "-A INPUT -p tcp -m multiport ! --dports 1:59999 -j REJECT --reject-with icmp-port-unreachable"},
            {incoming("10.3.0.9", 29502), Accept,
             "-A INPUT -p tcp -m iprange --src-range 10.3.0.1-10.3.0.9 -m tcp --dport 29502 -j ACCEPT"},
            {incoming("10.3.0.10", 29502), Drop, "-P INPUT DROP"},
            {incoming("10.0.0.2", 29503), Drop, "-A LOGDROP -j DROP"},
            {incoming("10.0.0.2", 29504), Drop, "-P INPUT DROP"},
            {incoming("10.0.0.2", 29505), Reject,
             "-A INPUT ! -s 10.4.0.0/16 -p tcp -m tcp --dport 29505 -j REJECT --reject-with "
             "icmp-admin-prohibited"},
            {incoming("10.4.0.2", 29505), Accept, "-A INPUT -p tcp -m tcp --dport 29505 -j ACCEPT"},
            {incoming("10.0.0.2", 29506), Unknown,
             "-A INPUT -p tcp -m tcp --dport 29506 -m recent --rcheck --seconds 60 --name seen --mask "
             "255.255.255.255 --rsource -j ACCEPT"},
            {incoming("10.0.0.2", 29507), Drop, "-P INPUT DROP"},
            {incoming("10.0.0.2", 29508), Accept,
             "-A INPUT -d 10.0.0.1/32 -p tcp -m tcp --dport 29508 -j ACCEPT"},
            {incoming("10.6.6.6", 22), Drop, "-A PREROUTING -s 10.6.6.6/32 -j DROP"},
            {incoming("fd00::2", 29500), Reject,
             "-A INPUT -s fd00::/64 -p tcp -m tcp --dport 29500 -j REJECT --reject-with "
             "icmp6-port-unreachable"},
            {incoming("fd01::2", 29500), Accept, "-P INPUT ACCEPT"},
            {outgoing("10.7.1.1", 30001), Drop,
             "-A OUTPUT -d 10.7.0.0/16 -o ens1 -p tcp -m tcp --dport 30000:40000 -j DROP"},
            {outgoing("10.8.1.1", 30001), Accept, "-P OUTPUT ACCEPT"},
        });
    EXPECT_EQ(decide(iptables(data("iptables.txt")), incoming("10.0.0.2", 29503)).place,
              "table filter, chain LOGDROP");
}

/// By its rules, and by its own words alone.
TEST(FirewallRules, UfwByRulesAndByStatus) {
    using enum FirewallAnswer;
    wire::Firewall firewall;
    firewall.set_kind("ufw");
    firewall.set_active(true);
    firewall.set_status(data("ufw.status"));
    auto with_rules = firewall;
    with_rules.set_rules(data("ufw.txt"));
    const std::vector<std::pair<FirewallFlow, FirewallAnswer>> cases = {
        {incoming("10.0.0.2", 22), Accept},    {incoming("10.0.0.2", 29501), Reject},
        {incoming("10.0.0.7", 29502), Drop},   {incoming("10.0.0.2", 29502), Drop},
        {incoming("10.0.0.2", 50500), Accept}, {incoming("10.0.0.3", 50500), Drop},
        {incoming("10.0.0.3", 29503), Accept}, {incoming("10.5.1.1", 4000), Accept},
        {incoming("fd00::2", 22), Accept},     {incoming("fd00::2", 29501), Reject},
        {incoming("fd00::2", 29503), Accept},  {incoming("fd00::2", 50500), Drop},
        {outgoing("10.0.0.2", 29500), Accept},
    };
    for (const auto& [flow, answer] : cases) {
        EXPECT_STREQ(to_string(decide(with_rules, flow).answer), to_string(answer))
            << flow.from << ' ' << flow.port;
        EXPECT_STREQ(to_string(decide(firewall, flow).answer), to_string(answer))
            << flow.from << ' ' << flow.port;
    }
    EXPECT_EQ(decide(with_rules, incoming("10.0.0.2", 29501)).rule,
              "-A ufw-user-input -p tcp -m tcp --dport 29501 -j REJECT --reject-with tcp-reset");
    EXPECT_EQ(decide(with_rules, incoming("10.0.0.3", 50500)).rule, "-P INPUT DROP");
    EXPECT_EQ(decide(firewall, incoming("10.0.0.3", 50500)).rule, "Default: deny (incoming)");
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 29501)).rule, "29501/tcp REJECT IN Anywhere");
    firewall.set_status("Status: inactive\n");
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 1)).answer, Accept);
}

TEST(FirewallRules, FirewalldByRulesAndByZones) {
    using enum FirewallAnswer;
    wire::Firewall firewall;
    firewall.set_kind("firewalld");
    firewall.set_active(true);
    firewall.set_zones(data("firewalld.zones"));
    auto with_rules = firewall;
    with_rules.set_rules(data("firewalld.json"));
    const std::vector<std::tuple<FirewallFlow, FirewallAnswer, std::string>> cases = {
        {incoming("10.0.0.2", 22), Accept, "zone public"},
        {incoming("10.0.0.2", 29500), Reject, "zone public"},
        {incoming("10.0.0.2", 29501), Accept, "zone public"},
        {incoming("10.0.0.7", 29501), Reject, "zone public"},
        {incoming("10.0.0.8", 22), Drop, "zone public"},
        {incoming("10.0.0.9", 50500), Accept, "zone public"},
        {incoming("10.0.0.9", 49999), Reject, "zone public"},
        {incoming("10.5.0.9", 49999), Accept, "zone trusted"},
        {incoming("10.6.0.9", 22), Drop, "zone drop"},
        {incoming("fd00::2", 29500), Reject, "zone public"},
    };
    for (const auto& [flow, answer, place] : cases) {
        const auto by_rules = decide(with_rules, flow);
        const auto by_zones = decide(firewall, flow);
        EXPECT_STREQ(to_string(by_rules.answer), to_string(answer)) << flow.from << ' ' << flow.port;
        EXPECT_STREQ(to_string(by_zones.answer), to_string(answer)) << flow.from << ' ' << flow.port;
        EXPECT_EQ(by_rules.place, place);
        EXPECT_EQ(by_zones.place, place);
    }
    EXPECT_EQ(decide(with_rules, incoming("10.0.0.2", 29500)).rule, "reject with icmpx admin-prohibited");
    EXPECT_EQ(decide(with_rules, incoming("10.0.0.7", 29501)).rule,
              "ip saddr 10.0.0.7 tcp dport 29501 reject with icmp port-unreachable");
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 29500)).rule, "target: default");
    EXPECT_EQ(decide(with_rules, incoming("fd00::2", 22)).rule,
              "meta nfproto ipv6 fib saddr . mark . iif oif missing drop")
        << "depends on routes";
    // A table of its own that is not understood: the zone's words do not decide.
    auto beside = with_rules;
    auto rules = data("firewalld.json");
    rules.insert(
        rules.rfind("]}"),
        R"(,{"chain":{"family":"inet","table":"own","name":"c","hook":"input","prio":-5,"type":"filter",)"
        R"("policy":"accept"}},{"rule":{"family":"inet","table":"own","chain":"c","expr":[{"newthing":1},)"
        R"({"drop":null}]}})");
    beside.set_rules(rules);
    EXPECT_EQ(decide(beside, incoming("10.0.0.2", 22)).answer, Unknown);
    EXPECT_EQ(decide(beside, incoming("10.0.0.2", 29500)).answer, Reject);
    auto other_interface = incoming("10.0.0.2", 22);
    other_interface.interface_name = "ens2";
    EXPECT_EQ(decide(firewall, other_interface).answer, Unknown) << "the default zone is not known";
}

TEST(FirewallRules, WhatIsNotUnderstoodIsUnknown) {
    using enum FirewallAnswer;
    const auto with_rule = [](const std::string& rule) {
        return nft(
            R"({"nftables":[{"chain":{"family":"inet","table":"t","name":"c","hook":"input","prio":0,)"
            R"("type":"filter","policy":"accept"}},{"rule":{"family":"inet","table":"t","chain":"c","expr":[)" +
            rule + "]}}]}");
    };
    const auto flow = incoming("10.0.0.2", 29500);
    EXPECT_EQ(decide(with_rule(R"({"drop":null})"), flow).answer, Drop);
    EXPECT_EQ(decide(with_rule(R"({"counter":{}},{"log":null},{"drop":null})"), flow).answer, Drop);
    EXPECT_EQ(decide(with_rule(R"({"newthing":1},{"drop":null})"), flow).answer, Unknown);
    EXPECT_EQ(decide(with_rule(R"({"newthing":1},{"accept":null})"), flow).answer, Accept) << "either way";
    EXPECT_EQ(decide(with_rule(R"({"jump":{"target":"c"}})"), flow).answer, Unknown) << "a loop";
    EXPECT_EQ(decide(with_rule(R"({"jump":{"target":"other"}})"), flow).answer, Unknown);
    EXPECT_EQ(
        decide(with_rule(R"({"match":{"op":"==","left":{"meta":{"key":"mark"}},"right":1}},{"drop":null})"),
               flow)
            .answer,
        Unknown);
    EXPECT_EQ(decide(with_rule(R"({"match":{"op":"==","left":{"payload":{"protocol":"ip","field":"saddr"}},)"
                               R"("right":"@gone"}},{"drop":null})"),
                     flow)
                  .answer,
              Unknown);
    EXPECT_EQ(decide(nft("{\"nftables\":"), flow).answer, Unknown);
    EXPECT_EQ(decide(nft(""), flow).answer, Unknown);
    EXPECT_EQ(decide(iptables("no rules"), flow).answer, Unknown);
    EXPECT_EQ(decide(nft(std::string((1U << 20) + 1, '[')), flow).answer, Unknown);
    EXPECT_EQ(decide(nft("{\"a\":" + std::string(500000, '[')), flow).answer, Unknown);
    EXPECT_EQ(decide(wire::Firewall(), flow).answer, Unknown);
    EXPECT_EQ(decide(nft(data("nftables.json")), incoming("node2", 22)).answer, Unknown)
        << "an address, not a name";
    wire::Firewall none;
    none.set_kind("none");
    EXPECT_EQ(decide(none, flow).answer, Accept);
}

/// Docker's iptables beside rules of nft: nft alone does not understand them all.
TEST(FirewallRules, RulesOfBothProgramsCount) {
    const std::string nft_rules =
        R"({"nftables":[{"chain":{"family":"inet","table":"own","name":"c","hook":"input","prio":5,"type":"filter",)"
        R"("policy":"accept"}},{"rule":{"family":"inet","table":"own","chain":"c","expr":[{"match":{"op":"==",)"
        R"("left":{"payload":{"protocol":"tcp","field":"dport"}},"right":22}},{"reject":null}]}},)"
        R"({"chain":{"family":"ip","table":"filter","name":"INPUT","hook":"input","prio":0,"type":"filter",)"
        R"("policy":"accept"}},{"rule":{"family":"ip","table":"filter","chain":"INPUT","expr":[{"xt":{"type":"match",)"
        R"("name":"multiport"}},{"drop":null}]}}]})";
    auto firewall = nft(nft_rules);
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 80)).answer, FirewallAnswer::Unknown);
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 22)).answer, FirewallAnswer::Reject);
    firewall.set_other_rules(
        "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p tcp -m multiport --dports 90,91 -j DROP\nCOMMIT\n");
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 80)).answer, FirewallAnswer::Accept);
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 90)).answer, FirewallAnswer::Drop);
    EXPECT_EQ(decide(firewall, incoming("10.0.0.2", 22)).answer, FirewallAnswer::Reject);
}

/// 2^30 paths through chains that jump twice to the next.
TEST(FirewallRules, ManyJumpsEnd) {
    std::string text = "*filter\n:INPUT ACCEPT [0:0]\n";
    for (int i = 0; i < 30; ++i) {
        const auto next = "-j c" + std::to_string(i) + '\n';
        const auto chain = i == 0 ? std::string("INPUT") : "c" + std::to_string(i - 1);
        text += ":c" + std::to_string(i) + " - [0:0]\n";
        text += "-A " + chain + ' ' + next + "-A " + chain + ' ' + next;
    }
    text += "-A c29 -p tcp --dport 29500 -j DROP\nCOMMIT\n";
    EXPECT_EQ(decide(iptables(text), incoming("10.0.0.2", 29500)).answer, FirewallAnswer::Drop);
    EXPECT_EQ(decide(iptables(text), incoming("10.0.0.2", 29501)).answer, FirewallAnswer::Accept);
}

}  // namespace
}  // namespace rankscope
