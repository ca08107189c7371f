// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/schedule.h>

namespace rankscope::engine {

Schedule differentiate(const Graph& graph) {
    Schedule schedule;
    // A value needs a gradient when something with parameters lies before it.
    std::vector<bool> needs_gradient(graph.values.size(), false);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        needs_gradient[node.output] = needs_gradient[node.input] || !node.parameters.empty();
        schedule.ops.push_back({i, Phase::forward, {}});
    }
    schedule.backward_begin = schedule.ops.size();
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        if (!node.parameters.empty()) {
            schedule.ops.push_back({i, Phase::backward_weights, node.parameters});
        }
        if (needs_gradient[node.input]) {
            schedule.ops.push_back({i, Phase::backward_data, {}});
        }
    }
    return schedule;
}

}  // namespace rankscope::engine
