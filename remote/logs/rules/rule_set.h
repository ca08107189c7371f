// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/rule_file.h>

#include <filesystem>
#include <vector>

namespace rankscope::logs {

/// Rules of several folders, and what is wrong with them.
struct RuleSet {
    std::vector<Rule> rules = {};
    std::vector<RuleProblem> problems = {};
};

/// Reads every .yaml file of the folders, in the order of their names. A rule of a later folder replaces one of the
/// same id; the same id twice in a folder is a problem, and so is a name that no rule has.
RuleSet load_rules(const std::vector<std::filesystem::path>& folders);

/// The folder of the rules that Rankscope brings: beside the program, or in the source tree. Empty: not found.
std::filesystem::path own_rule_folder();
/// ~/.config/rankscope/rules.
std::filesystem::path user_rule_folder();
/// Both, as far as they exist.
std::vector<std::filesystem::path> usual_rule_folders();

}  // namespace rankscope::logs
