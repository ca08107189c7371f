// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/logs/rules/version_range.h>
#include <remote/logs/verdicts/conditions.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace rankscope::logs {
namespace {

const SignatureMatches* matches_of(const std::string& name, std::size_t rule, const Observed& observed) {
    const auto at = find_signature(observed.rules, rule, name);
    return at ? &observed.found[at->first][at->second] : nullptr;
}

std::optional<std::size_t> capture_index(const std::string& name, const std::string& field, std::size_t rule,
                                         const Observed& observed) {
    const auto at = find_signature(observed.rules, rule, name);
    if (!at) {
        return std::nullopt;
    }
    const auto& captures = observed.rules[at->first].signatures[at->second].captures;
    const auto known = std::find(captures.begin(), captures.end(), field);
    return known == captures.end() ? std::nullopt
                                   : std::optional(static_cast<std::size_t>(known - captures.begin()));
}

bool within(double value, const Condition& condition) {
    return (!condition.at_least || value >= *condition.at_least) &&
           (!condition.at_most || value <= *condition.at_most);
}

bool differs(const std::string& value, const Condition& condition, std::size_t rule,
             const Observed& observed) {
    const auto dot = condition.differs_from.rfind('.');
    const auto name = condition.differs_from.substr(0, dot);
    const auto field = dot == std::string::npos ? condition.field : condition.differs_from.substr(dot + 1);
    const auto* others = matches_of(name, rule, observed);
    const auto index = capture_index(name, field, rule, observed);
    return others != nullptr && index &&
           std::any_of(others->kept.begin(), others->kept.end(), [&](const Match& other) {
               return !other.captures[*index].empty() && other.captures[*index] != value;
           });
}

// Compares two numbers that one line says; one that is missing is no number.
bool numbers_hold(const Match& match, const std::string& value, const Condition& condition, std::size_t rule,
                  const Observed& observed) {
    const auto other = [&](const std::string& field) -> std::optional<double> {
        const auto index = capture_index(condition.of, field, rule, observed);
        std::string_view text = index ? std::string_view(match.captures[*index]) : std::string_view();
        return take_number(text);
    };
    std::string_view text = value;
    const auto own = take_number(text);
    const auto smaller = condition.above.empty() ? std::nullopt : other(condition.above);
    const auto greater = condition.below.empty() ? std::nullopt : other(condition.below);
    return (condition.above.empty() || (own && smaller && *own > *smaller)) &&
           (condition.below.empty() || (own && greater && *own < *greater));
}

bool capture_holds(const Condition& condition, std::size_t rule, const Observed& observed) {
    const auto* found = matches_of(condition.of, rule, observed);
    const auto index = capture_index(condition.of, condition.field, rule, observed);
    if (found == nullptr || !index) {
        return false;
    }
    return std::any_of(found->kept.begin(), found->kept.end(), [&](const Match& match) {
        const auto& value = match.captures[*index];
        if (value.empty()) {
            return false;
        }
        if (!condition.values.empty() &&
            std::find(condition.values.begin(), condition.values.end(), value) == condition.values.end()) {
            return false;
        }
        if (!condition.is.empty() && !observed.surroundings.has_property(condition.is, value, match.host)) {
            return false;
        }
        if (!numbers_hold(match, value, condition, rule, observed)) {
            return false;
        }
        std::string_view number = value;
        if ((condition.at_least || condition.at_most) &&
            !within(take_number(number).value_or(0), condition)) {
            return false;
        }
        return condition.differs_from.empty() || differs(value, condition, rule, observed);
    });
}

bool elapsed_holds(const Condition& condition, std::size_t rule, const Observed& observed) {
    const auto* begin = matches_of(condition.of, rule, observed);
    const auto* end = matches_of(condition.until, rule, observed);
    if (begin == nullptr || end == nullptr) {
        return false;
    }
    for (const auto& first : begin->kept) {
        for (const auto& last : end->kept) {
            if (first.process == last.process && !std::isnan(first.time) && !std::isnan(last.time)) {
                return within(last.time - first.time, condition);
            }
        }
    }
    return false;
}

bool versions_hold(const std::string& text, const std::set<std::array<int, 3>>& known) {
    const auto range = VersionRange::parse(text);
    return known.empty() || !range || std::any_of(known.begin(), known.end(), [&](const auto& version) {
               return range->contains(version);
           });
}

bool holds(const Condition& condition, std::size_t rule, const Observed& observed) {
    switch (condition.kind) {
        case ConditionKind::Seen:
        case ConditionKind::Missing: {
            const auto* found = matches_of(condition.of, rule, observed);
            const bool seen = found != nullptr && found->count > 0;
            return seen == (condition.kind == ConditionKind::Seen);
        }
        case ConditionKind::Count: {
            const auto* found = matches_of(condition.of, rule, observed);
            return within(found == nullptr ? 0 : static_cast<double>(found->count), condition);
        }
        case ConditionKind::Capture:
            return capture_holds(condition, rule, observed);
        case ConditionKind::Elapsed:
            return elapsed_holds(condition, rule, observed);
        case ConditionKind::Nccl:
            return versions_hold(condition.versions, observed.surroundings.nccl_versions());
        case ConditionKind::Torch:
            return versions_hold(condition.versions, observed.surroundings.torch_versions());
        case ConditionKind::Nodes:
            return within(static_cast<double>(observed.surroundings.hosts().size()), condition);
        case ConditionKind::Exit:
            return std::any_of(observed.story.exits().begin(), observed.story.exits().end(),
                               [&](const ProcessExit& exit) {
                                   return std::find(condition.values.begin(), condition.values.end(),
                                                    std::to_string(exit.code)) != condition.values.end();
                               });
        case ConditionKind::Collectives:
            return condition.values.front() == to_string(observed.work.odds);
        case ConditionKind::Silent:
            return observed.faults_seen != (condition.at_least.value_or(0) > 0);
    }
    return false;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> find_signature(const std::vector<Rule>& rules,
                                                                  std::size_t own_rule,
                                                                  const std::string& name) {
    const auto slash = name.find('/');
    std::size_t rule = own_rule;
    if (slash != std::string::npos) {
        const auto id = name.substr(0, slash);
        const auto known =
            std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.id == id; });
        if (known == rules.end()) {
            return std::nullopt;
        }
        rule = static_cast<std::size_t>(known - rules.begin());
    }
    const auto own = slash == std::string::npos ? name : name.substr(slash + 1);
    const auto& signatures = rules[rule].signatures;
    const auto known =
        std::find_if(signatures.begin(), signatures.end(), [&](const Signature& s) { return s.name == own; });
    if (known == signatures.end()) {
        return std::nullopt;
    }
    return std::pair(rule, static_cast<std::size_t>(known - signatures.begin()));
}

bool all_hold(const std::vector<Condition>& conditions, std::size_t rule, const Observed& observed) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& condition) { return holds(condition, rule, observed); });
}

}  // namespace rankscope::logs
