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
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        needs_gradient[node.output] =
            !node.parameters.empty() || std::any_of(node.inputs.begin(), node.inputs.end(),
                                                    [&](ValueId input) { return needs_gradient[input]; });
        schedule.ops.push_back({i, Phase::forward, {}, {}});
    }
    schedule.backward_begin = schedule.ops.size();
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        if (!node.parameters.empty()) {
            schedule.ops.push_back({i, Phase::backward_weights, node.parameters, {}});
        }
        std::vector<ValueId> wanted;
        std::copy_if(node.inputs.begin(), node.inputs.end(), std::back_inserter(wanted),
                     [&](ValueId input) { return needs_gradient[input]; });
        if (!wanted.empty()) {
            schedule.ops.push_back({i, Phase::backward_data, {}, std::move(wanted)});
        }
    }
    return schedule;
}

}  // namespace rankscope::engine
