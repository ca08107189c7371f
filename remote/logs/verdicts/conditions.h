// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/verdicts/surroundings.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// All that conditions look at.
struct Observed {
    const std::vector<Rule>& rules;
    const std::vector<std::vector<SignatureMatches>>& found;
    const Story& story;
    const Surroundings& surroundings;
    WorkComparison work = {};  ///< what the watchdogs of the ranks report
    bool faults_seen = false;  ///< a signature of a cause or a victim matched, or a line is an error
};

/// Rule and signature of "name" (of the rule itself) or "rule/name".
std::optional<std::pair<std::size_t, std::size_t>> find_signature(const std::vector<Rule>& rules,
                                                                  std::size_t own_rule,
                                                                  const std::string& name);

/// Whether all conditions of a rule hold. A version that the logs do not say fits every range.
bool all_hold(const std::vector<Condition>& conditions, std::size_t rule, const Observed& observed);

}  // namespace rankscope::logs
