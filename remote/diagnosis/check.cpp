// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/check.h>

#include <algorithm>

namespace rankscope {
namespace {

int weight(CheckStatus status) {
    switch (status) {
        case CheckStatus::Fail:
            return 0;
        case CheckStatus::Warn:
            return 1;
        case CheckStatus::Skip:
            return 2;
        case CheckStatus::Pass:
            break;
    }
    return 3;
}

}  // namespace

void sort_checks(std::vector<Check>& checks) {
    std::stable_sort(checks.begin(), checks.end(), [](const Check& left, const Check& right) {
        return weight(left.status) < weight(right.status);
    });
}

bool any_failed(const std::vector<Check>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [](const Check& check) { return check.status == CheckStatus::Fail; });
}

std::string to_line(const Fix& fix) {
    if (!fix.command.empty()) {
        return fix.node.empty() ? fix.command : fix.node + ": " + fix.command;
    }
    std::string line;
    for (const auto& [key, value] : fix.job) {
        line += (line.empty() ? "" : ", ") + key + ": " + value;
    }
    return line;
}

Failure failure_of(const Check& check) {
    Failure failure;
    failure.code = check.id;
    failure.what = check.detail;  // names the nodes
    failure.remedy = check.fixes.empty() ? check.remedy : to_line(check.fixes.front());
    for (const auto& line : check.evidence) {
        failure.detail += (failure.detail.empty() ? "" : "\n") + line;
    }
    return failure;
}

Check check_of(const Failure& failure, const std::string& node) {
    Check check;
    check.id = failure.code;
    check.status = CheckStatus::Fail;
    check.nodes = {node};
    check.detail = statement(failure);
    if (!failure.detail.empty()) {
        check.evidence.push_back(failure.detail);
    }
    check.remedy = failure.remedy;
    return check;
}

}  // namespace rankscope
