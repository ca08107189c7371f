// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/rule_set.h>

#include <cstddef>
#include <vector>

namespace rankscope::logs {

struct RuleCheck {
    std::size_t tests = 0;                   ///< how many were run
    std::vector<RuleProblem> problems = {};  ///< tests that fail, rules of Rankscope without a test
};

/// Runs the tests of every rule: diagnoses their lines with all rules.
RuleCheck check_rules(const std::vector<Rule>& rules);

}  // namespace rankscope::logs
