// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/flow.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Whether something holds for a flow; Maybe: the expression is not understood, or depends on what is not known.
enum class Match { No, Maybe, Yes };

Match all_of(Match a, Match b);
Match any_of(Match a, Match b);
Match negated(Match match);
constexpr Match match_if(bool holds) {
    return holds ? Match::Yes : Match::No;
}

/// What a rule does with the packets that it matches.
enum class RuleEffect { None, Accept, Drop, Reject, Return, Jump, Goto, Unknown };

/// A rule as it applies to one flow.
struct ChainRule {
    std::string text = {};  ///< may be empty of a rule that does not match
    Match matches = Match::Yes;
    RuleEffect effect = RuleEffect::None;
    std::string target = {};  ///< key of the chain, of Jump and Goto
};

struct RuleChain {
    std::string place = {};  ///< for users
    std::vector<ChainRule> rules = {};
};

/// Chains by a key of their own.
using RuleChains = std::map<std::string, RuleChain>;

enum class FirewallTool { Nft, Iptables, IptablesLegacy };

/// A chain where the kernel hands over the packets of a flow.
struct BaseChain {
    FirewallTool tool = FirewallTool::Nft;
    std::string family = {};  ///< ip, ip6, inet, netdev, bridge
    std::string table = {};
    std::string name = {};
    bool nat = false;
    int stage = 0;             ///< order of the hooks
    int priority = 0;          ///< order within a hook
    bool device_known = true;  ///< else it may be the hook of another interface
    bool drops = false;        ///< its policy
    std::string policy = {};   ///< as the firewall prints it
    std::string key = {};      ///< of its rules
};

/// The same chain of the kernel, as nft and iptables see it.
bool is_same_chain(const BaseChain& a, const BaseChain& b);

/// One chain, and what it does with the flow.
struct ChainDecision {
    BaseChain chain = {};
    FirewallDecision decision = {};
    std::string rule_chain = {};  ///< place of the rule that decides; empty: the policy
};

/// Walks the chain. A jump to a chain that is missing, or that is already being walked, is an unknown answer.
ChainDecision walk_chain(const RuleChains& chains, const BaseChain& base);

/// Puts them into the order in which packets pass them.
void sort_chains(std::vector<ChainDecision>& decisions);

/// Of all chains that a flow passes, in their order: the first that blocks it decides.
FirewallDecision combined(const std::vector<ChainDecision>& decisions);

}  // namespace rankscope::inline runs
