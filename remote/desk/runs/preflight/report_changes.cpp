// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/report_changes.h>

#include <algorithm>
#include <iterator>

namespace rankscope::inline runs {
namespace {

bool is_bad(const Check& check) {
    return check.status == CheckStatus::Fail || check.status == CheckStatus::Warn;
}

bool includes(const Check& earlier, const Check& check) {
    return earlier.id == check.id && is_bad(earlier) &&
           (earlier.status == CheckStatus::Fail || check.status == CheckStatus::Warn) &&
           std::all_of(check.nodes.begin(), check.nodes.end(), [&](const std::string& node) {
               return std::find(earlier.nodes.begin(), earlier.nodes.end(), node) != earlier.nodes.end();
           });
}

}  // namespace

std::vector<Check> worse_checks(const PreflightReport& before, const PreflightReport& after) {
    std::vector<Check> worse;
    std::copy_if(after.checks.begin(), after.checks.end(), std::back_inserter(worse),
                 [&](const Check& check) {
                     return is_bad(check) &&
                            std::none_of(before.checks.begin(), before.checks.end(),
                                         [&](const Check& earlier) { return includes(earlier, check); });
                 });
    return worse;
}

}  // namespace rankscope::inline runs
