// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace rankscope::inline runs {

namespace {

/// With a full stop, so that another sentence may follow: what an inspection could not see has none.
std::string as_sentence(std::string text) {
    const bool ended = text.empty() || text.ends_with('.') || text.ends_with('!') || text.ends_with('?') ||
                       text.ends_with("。");
    return ended ? text : text + '.';
}

}  // namespace

Check& HostFindings::add(FailureId id, CheckStatus status, const std::string& node,
                         const std::string& detail) {
    auto found = std::find_if(checks_.begin(), checks_.end(),
                              [&](const Check& check) { return check.id == id && check.status == status; });
    if (found == checks_.end()) {
        checks_.emplace_back();
        found = checks_.end() - 1;
        found->id = id;
        found->status = status;
        found->detail = detail;
    }
    if (std::find(found->nodes.begin(), found->nodes.end(), node) == found->nodes.end()) {
        found->nodes.push_back(node);
    }
    found->evidence.push_back(detail);
    return *found;
}

void HostFindings::pass(FailureId id, const std::string& detail) {
    if (std::none_of(checks_.begin(), checks_.end(), [&](const Check& check) { return check.id == id; })) {
        checks_.emplace_back();
        checks_.back().id = id;
        checks_.back().detail = detail;
    }
}

std::vector<Check> HostFindings::take() {
    for (auto& check : checks_) {
        if (const auto others = joined(check.nodes | std::views::drop(1)); !others.empty()) {
            check.detail = as_sentence(std::move(check.detail)) + ' ' +
                           text("Preflight", "The same check concerns %1.", {others});
        }
    }
    return std::move(checks_);
}

Failure explain(const NodeView& view, const wire::Failure& failure) {
    NodeSpec node;
    node.name = view.name;
    return explain_agent_failure(node, failure);
}

}  // namespace rankscope::inline runs
