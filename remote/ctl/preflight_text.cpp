// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/preflight_text.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/shared/text.h>

#include <cstdio>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "PreflightCommand";

}  // namespace

void print_check(const Check& check) {
    std::printf("%-4s  %s  %s\n", to_string(check.status), check.id.str().c_str(),
                safe_text(check.detail).c_str());
    if (check.status == CheckStatus::Pass) {
        return;
    }
    for (const auto& line : check.evidence) {
        std::printf("        %s\n", safe_text(line).c_str());
    }
    if (check.fixes.empty() && !check.remedy.empty()) {
        std::printf("      -> %s\n", safe_text(check.remedy).c_str());
    }
    for (const auto& fix : check.fixes) {
        std::printf("      -> %s\n", safe_text(to_line(fix)).c_str());
        if (!fix.undo.empty()) {
            std::printf("         %s\n", safe_text(text(kContext, "undo: %1", {fix.undo})).c_str());
        }
    }
}

void print_report(const PreflightReport& report) {
    for (const auto& check : report.checks) {
        print_check(check);
    }
    std::vector<std::vector<std::string>> rows{{"NODE", "ADDRESS", "INTERFACE", "WHY"}};
    for (const auto& choice : report.choices) {
        rows.push_back({choice.node, choice.address,
                        choice.interface_name.empty() ? "-" : choice.interface_name, choice.why});
    }
    std::printf("\n%s", format_table(rows).c_str());
    for (const auto& line : report.untested) {
        std::printf("%s\n", text(kContext, "not tested: %1", {line}).c_str());
    }
    std::size_t counts[4] = {};
    for (const auto& check : report.checks) {
        ++counts[static_cast<std::size_t>(check.status)];
    }
    const std::string seconds = fixed_text(report.seconds, 1);
    std::printf("%s\n", text(kContext, "%1 failed, %2 warnings, %3 passed, %4 not checked, in %5 s",
                             {std::to_string(counts[static_cast<std::size_t>(CheckStatus::Fail)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Warn)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Pass)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Skip)]), seconds})
                            .c_str());
}

}  // namespace rankscope::ctl
