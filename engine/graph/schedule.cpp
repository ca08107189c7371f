// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/schedule.h>

#include <algorithm>
#include <iterator>

namespace rankscope::engine {

Schedule differentiate(const Graph& graph) {
    Schedule schedule;
    // A value needs a gradient when something with parameters lies before it.
    IndexedVector<ValueId, bool> needs_gradient(graph.values.size(), false);
    needs_gradient[kInputValue] = graph.continues;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        needs_gradient[node.output] =
            !node.parameters.empty() || std::any_of(node.inputs.begin(), node.inputs.end(),
                                                    [&](ValueId input) { return needs_gradient[input]; });
        schedule.ops.push_back({.node = i, .phase = Phase::forward});
    }
    schedule.backward_begin = schedule.ops.size();
    const IndexedVector<ParameterId, std::size_t> users = user_counts(graph);
    IndexedVector<ParameterId, std::size_t> users_left = users;
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        if (!node.parameters.empty()) {
            ScheduledOp op{.node = i, .phase = Phase::backward_weights};
            for (const ParameterId parameter : node.parameters) {
                op.adds = op.adds || users_left[parameter] < users[parameter];
                if (--users_left[parameter] == 0) {
                    op.finished.push_back(parameter);
                }
            }
            schedule.ops.push_back(std::move(op));
        }
        std::vector<ValueId> wanted;
        std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(wanted),
                     [&](ValueId input) { return needs_gradient[input]; });
        if (!wanted.empty()) {
            schedule.ops.push_back({.node = i, .phase = Phase::backward_data, .inputs = std::move(wanted)});
        }
    }
    return schedule;
}

std::vector<ParameterId> arrival_order(const Schedule& schedule) {
    std::vector<ParameterId> order;
    for (const ScheduledOp& op : schedule.ops) {
        order.insert(order.end(), op.finished.rbegin(), op.finished.rend());
    }
    return order;
}

}  // namespace rankscope::engine
