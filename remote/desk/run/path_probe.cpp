// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/launch/connected_nodes.h>
#include <remote/desk/run/path_probe.h>
#include <remote/desk/watch/path_confirmation.h>

namespace rankscope {

void PathProbe::set_plan(const LaunchPlan& plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
}

void PathProbe::reached(const std::string& node, const NodeFacts& facts) {
    const std::lock_guard lock(mutex_);
    facts_[node] = facts;
}

PreflightRequest PathProbe::request() {
    PreflightRequest request;
    request.inventory = context_.inventory;
    request.job = context_.job;
    const std::lock_guard lock(mutex_);
    request.plan = plan_;
    std::vector<NodeSpec> nodes;
    for (const auto& node : plan_.nodes) {
        const NodeSpec* spec = context_.inventory.find(node.node);
        nodes.push_back(spec != nullptr ? *spec : local_node());
    }
    request.connected = connected_nodes(nodes, facts_, ask_, stop_.get_token());
    return request;
}

void PathProbe::confirm(HangFinding& finding) {
    if (!finding.paths.empty() && finding.verdict.id != "node-lost") {
        confirm_paths(finding, request(), stop_.get_token());
    }
}

}  // namespace rankscope
