// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/firewall/chains.h>

#include <algorithm>
#include <tuple>

namespace rankscope::inline runs {
namespace {

/// The kernel refuses deeper jumps.
constexpr int kMaxDepth = 32;

/// What can become of the flow in one chain.
struct Walked {
    std::vector<FirewallDecision> ends;  ///< at most one for each answer, the most certain last
    bool returns = false;                ///< the chain that jumped here may continue
    std::string unclear;                 ///< the first rule that is not understood
};

void add_end(std::vector<FirewallDecision>& ends, FirewallDecision end) {
    std::erase_if(ends, [&](const FirewallDecision& other) { return other.answer == end.answer; });
    ends.push_back(std::move(end));
}

class Walk {
public:
    explicit Walk(const RuleChains& chains) : chains_(chains) {}

    Walked chain(const std::string& key, int depth) {
        if (const auto known = walked_.find(key); known != walked_.end()) {
            return known->second;  // of a chain that jumps to itself: the unknown answer noted below
        }
        const auto found = chains_.find(key);
        Walked unknown{.ends = {{}}, .returns = true, .unclear = {}};
        if (found == chains_.end() || depth > kMaxDepth) {
            return unknown;
        }
        walked_[key] = unknown;
        Walked result;
        result.returns = !rules(found->second, depth, result);
        walked_[key] = result;
        return result;
    }

private:
    /// Whether the flow certainly ends before the end of the chain.
    bool rules(const RuleChain& chain, int depth, Walked& result) {
        bool left = false;  // a rule that may match ends the chain's part
        for (const auto& rule : chain.rules) {
            if (rule.matches == Match::No || rule.effect == RuleEffect::None) {
                continue;
            }
            const bool certain = rule.matches == Match::Yes;
            if ((!certain || rule.effect == RuleEffect::Unknown) && result.unclear.empty()) {
                result.unclear = rule.text;
            }
            bool ends = true;
            switch (rule.effect) {
                case RuleEffect::None:
                    break;
                case RuleEffect::Accept:
                    add_end(result.ends, {FirewallAnswer::Accept, rule.text, chain.place});
                    break;
                case RuleEffect::Drop:
                    add_end(result.ends, {FirewallAnswer::Drop, rule.text, chain.place});
                    break;
                case RuleEffect::Reject:
                    add_end(result.ends, {FirewallAnswer::Reject, rule.text, chain.place});
                    break;
                case RuleEffect::Unknown:
                    add_end(result.ends, {FirewallAnswer::Unknown, rule.text, chain.place});
                    break;
                case RuleEffect::Return:
                    left = true;
                    break;
                case RuleEffect::Jump:
                case RuleEffect::Goto: {
                    const auto inner = this->chain(rule.target, depth + 1);
                    for (const auto& end : inner.ends) {
                        add_end(result.ends, end);
                    }
                    if (result.unclear.empty()) {
                        result.unclear = inner.unclear;
                    }
                    ends = !inner.returns || rule.effect == RuleEffect::Goto;
                    left = left || (inner.returns && rule.effect == RuleEffect::Goto);
                    break;
                }
            }
            if (certain && ends) {
                return !left;
            }
        }
        return false;
    }

    const RuleChains& chains_;
    std::map<std::string, Walked> walked_;
};

}  // namespace

Match all_of(Match a, Match b) {
    return std::min(a, b);
}

Match any_of(Match a, Match b) {
    return std::max(a, b);
}

Match negated(Match match) {
    switch (match) {
        case Match::No:
            return Match::Yes;
        case Match::Yes:
            return Match::No;
        case Match::Maybe:
            break;
    }
    return Match::Maybe;
}

ChainDecision walk_chain(const RuleChains& chains, const BaseChain& base) {
    auto walked = Walk(chains).chain(base.key, 0);
    if (walked.returns) {
        const auto found = chains.find(base.key);
        add_end(walked.ends, {base.drops ? FirewallAnswer::Drop : FirewallAnswer::Accept, base.policy,
                              found == chains.end() ? base.name : found->second.place});
    }
    ChainDecision result{.chain = base, .decision = {}, .rule_chain = {}};
    const auto same = [&](auto predicate) {
        return !walked.ends.empty() && std::all_of(walked.ends.begin(), walked.ends.end(),
                                                   [&](const auto& end) { return predicate(end.answer); });
    };
    if (same(is_blocked) || same([](FirewallAnswer answer) { return answer == FirewallAnswer::Accept; })) {
        result.decision = walked.ends.back();
        result.rule_chain = result.decision.rule == base.policy ? std::string() : result.decision.place;
    } else {
        result.decision.rule = walked.unclear;
    }
    if (is_blocked(result.decision.answer) && (!base.device_known || base.family == "bridge")) {
        result.decision.answer = FirewallAnswer::Unknown;
    }
    return result;
}

bool is_same_chain(const BaseChain& a, const BaseChain& b) {
    return std::tie(a.family, a.table, a.name) == std::tie(b.family, b.table, b.name);
}

void sort_chains(std::vector<ChainDecision>& decisions) {
    std::stable_sort(decisions.begin(), decisions.end(), [](const ChainDecision& a, const ChainDecision& b) {
        return std::tie(a.chain.stage, a.chain.priority) < std::tie(b.chain.stage, b.chain.priority);
    });
}

FirewallDecision combined(const std::vector<ChainDecision>& decisions) {
    FirewallDecision result{.answer = FirewallAnswer::Accept, .rule = {}, .place = {}};
    for (const auto& each : decisions) {
        if (is_blocked(each.decision.answer)) {
            return each.decision;
        }
    }
    for (const auto& each : decisions) {
        if (each.decision.answer == FirewallAnswer::Unknown) {
            return each.decision;
        }
        // The last rule that permits it; a policy only if there is no rule.
        if (!each.chain.nat && (!each.rule_chain.empty() || result.rule.empty())) {
            result = each.decision;
        }
    }
    return result;
}

}  // namespace rankscope::inline runs
