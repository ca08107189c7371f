// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/rewrite.h>

namespace rankscope::engine {

Graph fuse_relu_into_max_pool(Graph graph) {
    std::vector<Node> nodes;
    for (const Node& node : graph.nodes) {
        const auto* pool = std::get_if<MaxPool2d>(&node.operation);
        if (pool == nullptr || nodes.empty() || !std::holds_alternative<Relu>(nodes.back().operation)) {
            nodes.push_back(node);
            continue;
        }
        Node fused = node;
        fused.input = nodes.back().input;
        fused.operation = MaxPool2d{pool->kernel, pool->stride, true};
        nodes.back() = fused;
    }
    graph.nodes = std::move(nodes);
    return graph;
}

}  // namespace rankscope::engine
