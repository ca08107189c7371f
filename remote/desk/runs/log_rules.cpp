// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/log_rules.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline runs {

namespace {

std::string translated(const std::string& source) {
    return source.empty() ? source : text("LogRules", source.c_str());
}

}  // namespace

logs::RuleSet log_rules() {
    logs::RuleSet set = logs::load_rules(logs::usual_rule_folders());
    for (logs::Rule& rule : set.rules) {
        rule.title = translated(rule.title);
        for (std::string& fix : rule.fix) {
            fix = translated(fix);
        }
        for (logs::Signature& signature : rule.signatures) {
            signature.title = translated(signature.title);
            for (std::string& fix : signature.fix) {
                fix = translated(fix);
            }
        }
    }
    return set;
}

}  // namespace rankscope::inline runs
