// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/desk/runs/preflight/firewall/nft_match.h>
#include <remote/desk/runs/preflight/firewall/nft_rules.h>
#include <remote/desk/runs/preflight/firewall/nft_text.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::inline runs {
namespace {

using Json = nlohmann::json;

std::string string_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "inet filter"
std::string table_of(const Json& object) {
    return string_at(object, "family") + ' ' + string_at(object, "table");
}

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<const char*, N>& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// What the target of an extension of iptables does.
RuleEffect effect_of_target(const std::string& name) {
    if (name == "REJECT") {
        return RuleEffect::Reject;
    }
    if (name == "SNAT" || name == "MASQUERADE") {
        return RuleEffect::Accept;
    }
    static constexpr auto kNeutral =
        std::to_array<const char*>({"LOG", "NFLOG", "MARK", "CONNMARK", "TCPMSS", "CT", "TRACE", "CHECKSUM",
                                    "SET", "TOS", "DSCP", "CLASSIFY"});
    return is_one_of(name, kNeutral) ? RuleEffect::None : RuleEffect::Unknown;
}

void apply_verdict(const Json& verdict, const std::string& table, ChainRule& rule) {
    if (!verdict.is_object() || verdict.size() != 1) {
        rule.effect = RuleEffect::Unknown;
        return;
    }
    const auto& name = verdict.begin().key();
    if (name == "accept" || name == "snat" || name == "masquerade") {
        rule.effect = RuleEffect::Accept;
    } else if (name == "drop") {
        rule.effect = RuleEffect::Drop;
    } else if (name == "reject") {
        rule.effect = RuleEffect::Reject;
    } else if (name == "return") {
        rule.effect = RuleEffect::Return;
    } else if (name == "continue") {
        rule.effect = RuleEffect::None;
    } else if (name == "jump" || name == "goto") {
        rule.effect = name == "jump" ? RuleEffect::Jump : RuleEffect::Goto;
        rule.target = verdict.begin().value().is_object()
                          ? table + ' ' + string_at(verdict.begin().value(), "target")
                          : std::string();
    } else {
        rule.effect = RuleEffect::Unknown;
    }
}

/// A limit is taken as not reached: what is asked is whether one connection comes through.
Match under_limit(const Json& limit) {
    return match_if(!(limit.is_object() && limit.value("inv", Json()) == true));
}

void apply_statement(const Json& statement, const std::string& table, const Packet& packet,
                     const NftSets& sets, NftBudget& budget, ChainRule& rule) {
    static constexpr auto kVerdicts =
        std::to_array<const char*>({"accept", "drop", "reject", "return", "jump", "goto", "snat",
                                    "masquerade", "dnat", "redirect", "queue", "tproxy", "fwd", "synproxy"});
    static constexpr auto kNeutral =
        std::to_array<const char*>({"counter", "log", "mangle", "notrack", "comment", "last", "continue",
                                    "ct helper", "ct timeout", "ct expectation", "secmark", "flow", "dup"});
    if (!statement.is_object() || statement.size() != 1) {
        rule.matches = all_of(rule.matches, Match::Maybe);
        return;
    }
    const auto& name = statement.begin().key();
    const auto& body = statement.begin().value();
    if (name == "match") {
        rule.matches = all_of(rule.matches, nft_match(body, packet, sets, budget));
    } else if (name == "vmap") {
        const auto found = nft_verdict(body, packet, sets, budget);
        rule.matches = all_of(rule.matches, found.matches);
        if (found.verdict != nullptr) {
            apply_verdict(*found.verdict, table, rule);
        } else {
            rule.effect = RuleEffect::Unknown;
        }
    } else if (is_one_of(name, kVerdicts)) {
        apply_verdict(statement, table, rule);
    } else if (name == "limit" || name == "ct count") {
        rule.matches = all_of(rule.matches, under_limit(body));
    } else if (name == "set" && body.is_object()) {
        for (const auto& inner : body.value("stmt", Json::array())) {
            if (inner.is_object() && inner.contains("limit")) {
                rule.matches = all_of(rule.matches, under_limit(inner["limit"]));
            }
        }
    } else if (name == "xt" && body.is_object() && string_at(body, "type") == "target") {
        rule.effect = effect_of_target(string_at(body, "name"));
    } else if (name == "xt" && body.is_object() && string_at(body, "name") == "comment") {
        return;
    } else if (name == "xt" && !body.is_object()) {  // a match or a target: older programs do not say
        rule.matches = all_of(rule.matches, Match::Maybe);
        rule.effect = RuleEffect::Unknown;
    } else if (!is_one_of(name, kNeutral)) {
        rule.matches = all_of(rule.matches, Match::Maybe);
    }
}

ChainRule rule_of(const Json& object, const Packet& packet, const NftSets& sets, NftBudget& budget) {
    ChainRule rule;
    const auto statements = object.find("expr");
    if (statements == object.end() || !statements->is_array()) {
        return {.text = {}, .matches = Match::Maybe, .effect = RuleEffect::Unknown, .target = {}};
    }
    for (const auto& statement : *statements) {
        apply_statement(statement, table_of(object), packet, sets, budget, rule);
        if (rule.matches == Match::No) {
            return rule;
        }
    }
    if (rule.effect != RuleEffect::None) {
        rule.text = nft_text(object);
    }
    return rule;
}

bool exempts_from_tracking(const Json& object) {
    const auto statements = object.find("expr");
    return statements != object.end() && statements->is_array() &&
           std::any_of(statements->begin(), statements->end(), [](const Json& statement) {
               return statement.is_object() && statement.contains("notrack");
           });
}

/// Order of the hooks that a flow passes; negative: it does not.
int stage_of(const std::string& family, const std::string& hook, const Packet& packet) {
    const bool of_family = family == "inet" || family == (packet.v6 ? "ip6" : "ip");
    const bool of_device = family == "netdev" || family == "inet";
    const bool of_bridge = family == "bridge";
    if (packet.outgoing) {
        if (hook == "output" && (of_family || of_bridge)) {
            return 0;
        }
        if (hook == "postrouting" && of_family) {
            return 1;
        }
        return hook == "egress" && of_device ? 2 : -1;
    }
    if (hook == "ingress" && of_device) {
        return 0;
    }
    if (hook == "prerouting" && (of_family || of_bridge)) {
        return 1;
    }
    return hook == "input" && (of_family || of_bridge) ? 2 : -1;
}

/// Whether the hook of a chain is at the flow's interface.
Match at_device(const Json& chain, const Packet& packet) {
    const auto device = chain.find("dev");
    if (device == chain.end() || packet.interface_name.empty()) {
        return Match::Maybe;
    }
    if (device->is_array()) {
        return match_if(std::find(device->begin(), device->end(), Json(packet.interface_name)) !=
                        device->end());
    }
    return match_if(*device == packet.interface_name);
}

}  // namespace

std::optional<NftRules> NftRules::parse(std::string_view text) {
    auto parsed = read_json(text);
    if (!parsed.is_object() || !parsed.contains("nftables") || !parsed["nftables"].is_array()) {
        return std::nullopt;
    }
    return NftRules(std::move(parsed["nftables"]));
}

std::vector<ChainDecision> NftRules::decide(const Packet& flow) const {
    Packet packet = flow;
    NftBudget budget = 1'000'000;
    std::map<std::string, NftSets> sets;
    RuleChains chains;
    std::vector<BaseChain> bases;
    const auto each = [&](const char* kind, const auto& visit) {
        for (const auto& entry : ruleset_) {
            if (entry.is_object() && entry.size() == 1 && entry.begin().key() == kind &&
                entry.begin().value().is_object()) {
                visit(entry.begin().value());
            }
        }
    };
    static const Json kNoElements = Json::array();
    for (const char* kind : {"set", "map"}) {
        each(kind, [&](const Json& set) {
            const auto elements = set.find("elem");
            sets[table_of(set)][string_at(set, "name")] = elements == set.end() ? &kNoElements : &*elements;
        });
    }
    each("chain", [&](const Json& chain) {
        const auto key = table_of(chain) + ' ' + string_at(chain, "name");
        chains[key].place = key;
        const auto family = string_at(chain, "family");
        const auto hook = string_at(chain, "hook");
        const int stage = hook.empty() ? -1 : stage_of(family, hook, packet);
        if (stage < 0) {
            return;
        }
        const bool by_device = hook == "ingress" || hook == "egress";
        const auto device = by_device ? at_device(chain, packet) : Match::Yes;
        if (device == Match::No) {
            return;
        }
        const auto priority = chain.find("prio");
        const auto policy = string_at(chain, "policy");
        bases.push_back(
            {.tool = FirewallTool::Nft,
             .family = family,
             .table = string_at(chain, "table"),
             .name = string_at(chain, "name"),
             .nat = string_at(chain, "type") == "nat",
             .stage = stage,
             .priority = priority != chain.end() && priority->is_number_integer() ? priority->get<int>() : 0,
             .device_known = device == Match::Yes,
             .drops = policy == "drop",
             .policy = policy.empty() ? "policy accept" : "policy " + policy,
             .key = key});
    });
    each("rule", [&](const Json& rule) {
        if (exempts_from_tracking(rule) &&
            rule_of(rule, flow, sets[table_of(rule)], budget).matches != Match::No) {
            packet.tracked = false;
        }
    });
    each("rule", [&](const Json& rule) {
        const auto chain = chains.find(table_of(rule) + ' ' + string_at(rule, "chain"));
        if (chain != chains.end()) {
            chain->second.rules.push_back(rule_of(rule, packet, sets[table_of(rule)], budget));
        }
    });
    std::vector<ChainDecision> decisions;
    decisions.reserve(bases.size());
    for (const auto& base : bases) {
        decisions.push_back(walk_chain(chains, base));
    }
    sort_chains(decisions);
    return decisions;
}

}  // namespace rankscope::inline runs
