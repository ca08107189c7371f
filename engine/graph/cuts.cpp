// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/cuts.h>

#include <set>

namespace rankscope::engine {

std::vector<std::size_t> cuts(const Graph& graph) {
    IndexedVector<ValueId, std::size_t> last(graph.values.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const ValueId input : graph.nodes[i].inputs) {
            last[input] = i;
        }
    }
    std::vector<std::size_t> found;
    std::multiset<std::size_t> alive{last[kInputValue]};  // the last reader of each value
    for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        alive.insert(last[node.output]);
        alive.erase(alive.begin(), alive.upper_bound(i));
        if (alive.size() == 1 && last[node.output] > i && !std::holds_alternative<Concat>(node.operation) &&
            !std::holds_alternative<Flatten>(node.operation) &&
            !std::holds_alternative<SumSliceGradients>(node.operation)) {
            found.push_back(i);
        }
    }
    return found;
}

}  // namespace rankscope::engine
