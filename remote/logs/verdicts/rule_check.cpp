// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/verdicts/diagnosis.h>
#include <remote/logs/verdicts/rule_check.h>

namespace rankscope::logs {
namespace {

constexpr double kSureEnough = 0.5;

std::string said(const std::vector<Verdict>& verdicts) {
    return verdicts.empty() ? std::string("nothing") : verdicts.front().id.str();
}

// What is wrong; empty: nothing.
std::string failure_of(const RuleTest& test, const std::vector<Verdict>& verdicts) {
    if (test.expect == "none") {
        const bool silent = verdicts.empty() || verdicts.front().confidence < kSureEnough;
        return silent ? std::string() : "no verdict is expected, but it is " + said(verdicts);
    }
    if (verdicts.empty() || verdicts.front().id.text() != test.expect) {
        return test.expect + " is expected, but it is " + said(verdicts);
    }
    const auto& first = verdicts.front();
    if (!test.node.empty() && first.node != test.node) {
        return "the node " + test.node + " is expected, but it is \"" + first.node + '"';
    }
    if (test.rank && first.rank != *test.rank) {
        return "the rank " + std::to_string(*test.rank) + " is expected, but it is " +
               std::to_string(first.rank);
    }
    return {};
}

}  // namespace

RuleCheck check_rules(const std::vector<Rule>& rules) {
    RuleCheck check;
    const auto own = own_rule_folder().string();
    for (const auto& rule : rules) {
        if (rule.tests.empty() && rule.role != RuleRole::Context && !own.empty() &&
            rule.file.starts_with(own)) {
            check.problems.push_back({rule.file, rule.line, "the rule " + rule.id + " has no test"});
        }
        for (const auto& test : rule.tests) {
            ++check.tests;
            const auto found = diagnose_text(rules, test.lines, "test");
            if (const auto failure = failure_of(test, found.verdicts); !failure.empty()) {
                check.problems.push_back(
                    {rule.file, test.line, "the test of " + rule.id + " fails: " + failure});
            }
        }
    }
    return check;
}

}  // namespace rankscope::logs
