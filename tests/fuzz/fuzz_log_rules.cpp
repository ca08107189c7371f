// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A rule file and a log of the user: "RULES\n===\nLOG", or a log alone, which the rules of the program judge.

#include "target.h"

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <string>

using namespace rankscope;
using namespace rankscope::logs;

namespace {

const std::vector<Rule>& own_rules() {
    static const auto set = load_rules({RANKSCOPE_RULES});
    return set.rules;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::as_text(data, size));
    const auto cut = text.find("\n===\n");
    const std::string log = cut == std::string::npos ? text : text.substr(cut + 5);
    std::vector<RuleProblem> problems;
    const auto read = parse_rules(text.substr(0, cut), "rules.yaml", problems);
    const auto found = diagnose_text(cut == std::string::npos ? own_rules() : read, log, "log");
    for (const auto& verdict : found.verdicts) {
        fuzz::require(verdict.confidence > 0 && verdict.confidence < 1, "a confidence is a share");
        for (const auto& evidence : verdict.evidence) {
            fuzz::require(log.find(evidence.text) != std::string::npos, "a quoted line is in the log");
        }
    }
    return 0;
}
