// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/rules/rule.h>

#include <string>
#include <vector>

namespace rankscope::logs {

/// What is wrong in a rule file.
struct RuleProblem {
    std::string file = {};
    int line = 0;
    std::string message = {};

    bool operator==(const RuleProblem&) const = default;
};

/// The rules of one file (a list of rules, or one rule). A rule with a problem is left out; the others are read.
std::vector<Rule> parse_rules(const std::string& text, const std::string& file,
                              std::vector<RuleProblem>& problems);

/// The longest text that every match of the pattern has; empty: none of `shortest` bytes is certain.
std::string literal_of(const std::string& pattern, std::size_t shortest = LiteralScan::kShortest);

/// Whether each match of the pattern is one of the words, and no more: "one", "one|other".
bool says_only(const std::string& pattern, const std::vector<std::string>& words);

}  // namespace rankscope::logs
