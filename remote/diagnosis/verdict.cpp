// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/verdict.h>

namespace rankscope {

Verdict verdict_of(const Failure& failure, const std::string& node) {
    Verdict verdict;
    verdict.id = failure.code;
    verdict.title = (failure.where.empty() ? "" : failure.where + ": ") + statement(failure);
    verdict.node = node;
    if (!node.empty()) {
        verdict.nodes.push_back(node);
    }
    if (!failure.detail.empty()) {
        verdict.evidence.push_back({.file = failure.file, .line = failure.line, .text = failure.detail});
    }
    if (!failure.remedy.empty()) {
        verdict.fix.push_back(failure.remedy);
    }
    return verdict;
}

Verdict verdict_of(const Check& check) {
    Verdict verdict;
    verdict.id = check.id;
    verdict.title = check.detail;
    verdict.nodes = check.nodes;
    verdict.node = check.nodes.empty() ? std::string() : check.nodes.front();
    verdict.pairs = check.pairs;
    for (const auto& line : check.evidence) {
        verdict.evidence.push_back({.text = line});
    }
    for (const auto& fix : check.fixes) {
        verdict.fix.push_back(to_line(fix));
    }
    if (check.fixes.empty() && !check.remedy.empty()) {
        verdict.fix.push_back(check.remedy);
    }
    verdict.fixes = check.fixes;
    return verdict;
}

}  // namespace rankscope
