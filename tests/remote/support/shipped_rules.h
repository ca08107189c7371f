// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <string>
#include <vector>

namespace rankscope::logs {

/// Those that Rankscope ships; the target defines RANKSCOPE_RULES, their folder.
inline const std::vector<Rule>& rules() {
    static const auto set = load_rules({RANKSCOPE_RULES});
    return set.rules;
}

inline DiagnosisResult diagnosed(const std::string& text) {
    return diagnose_text(rules(), text, "train.log");
}

}  // namespace rankscope::logs
