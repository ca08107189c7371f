// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/desk/runs/preflight/firewall/firewalld_zones.h>
#include <remote/desk/runs/preflight/firewall/iptables_rules.h>
#include <remote/desk/runs/preflight/firewall/packet.h>
#include <remote/desk/runs/preflight/firewall/ufw_status.h>
#include <remote/desk/runs/preflight/firewall_rules.h>

#include <algorithm>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMaxRules = 1U << 20;
constexpr std::size_t kMaxText = 512;

/// One line of text that can be shown.
std::string shown(std::string text) {
    if (text.size() > kMaxText) {
        text.resize(kMaxText);
        text += " …";
    }
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return as_utf8(std::move(text));
}

FirewallDecision shown(FirewallDecision decision, bool firewalld) {
    if (const auto zone = firewalld ? zone_of_chain(decision.place) : std::string(); !zone.empty()) {
        decision.place = "zone " + zone;
    }
    decision.rule = shown(std::move(decision.rule));
    decision.place = shown(std::move(decision.place));
    return decision;
}

}  // namespace

FirewallRules::FirewallRules(const wire::Firewall& firewall) : kind_(firewall.kind()) {
    if (firewall.zones().size() <= kMaxRules) {
        zones_ = firewall.zones();
    }
    if (firewall.status().size() <= kMaxRules) {
        status_ = firewall.status();
    }
    for (const auto* rules : {&firewall.rules(), &firewall.other_rules()}) {
        if (rules->size() > kMaxRules) {
            continue;
        }
        const auto first = rules->find_first_not_of(" \t\r\n");
        if (first != std::string::npos && (*rules)[first] == '{') {
            nft_ = NftRules::parse(*rules);
        } else if (has_iptables_rules(*rules)) {
            iptables_ = *rules;
        }
    }
}

std::vector<ChainDecision> FirewallRules::chains(const FirewallFlow& flow) const {
    const auto packet = packet_of(flow);
    if (!packet) {
        return {};
    }
    auto decisions = decide_iptables(iptables_, *packet);
    if (nft_) {
        // The tables that iptables keeps there are better understood from itself.
        const auto own = decisions.size();
        for (auto& each : nft_->decide(*packet)) {
            if (std::none_of(decisions.begin(), decisions.begin() + static_cast<std::ptrdiff_t>(own),
                             [&](const auto& other) {
                                 return other.chain.tool == FirewallTool::Iptables &&
                                        is_same_chain(other.chain, each.chain);
                             })) {
                decisions.push_back(std::move(each));
            }
        }
        sort_chains(decisions);
    }
    return decisions;
}

FirewallDecision FirewallRules::decide(const FirewallFlow& flow) const {
    const auto packet = packet_of(flow);
    if (!packet) {
        return {};
    }
    if (kind_ == "none") {
        return {.answer = FirewallAnswer::Accept};
    }
    FirewallDecision decision;
    bool own_words = true;
    if (readable()) {
        const auto decisions = chains(flow);
        decision = combined(decisions);
        // Rules of iptables as nft shows them. What else is not understood, like a filter against forged sources, is
        // nothing that zones or ufw know of.
        own_words = std::all_of(decisions.begin(), decisions.end(), [](const ChainDecision& each) {
            return each.decision.answer != FirewallAnswer::Unknown || each.chain.table == "filter";
        });
    }
    if (decision.answer != FirewallAnswer::Unknown || !own_words) {
        return shown(std::move(decision), kind_ == "firewalld");
    }
    if (kind_ == "firewalld" && !packet->outgoing) {
        const auto zones = read_firewalld_zones(zones_);
        if (const auto* zone = zone_of(zones, *packet)) {
            decision = decide_zone(*zone, *packet).decision;
        }
    } else if (kind_ == "ufw") {
        if (const auto by_status = decide_ufw(status_, *packet)) {
            decision = by_status->decision;
        }
    }
    return shown(std::move(decision), kind_ == "firewalld");
}

FirewallDecision decide(const wire::Firewall& firewall, const FirewallFlow& flow) {
    return FirewallRules(firewall).decide(flow);
}

}  // namespace rankscope::inline runs
