// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/rewrite.h>

#include <algorithm>
#include <optional>
#include <type_traits>

namespace rankscope::engine {
namespace {

/// The node that makes the value, if it is one of these operations and exactly one node reads it.
template <typename... Kinds>
std::optional<std::size_t> sole_producer(const Graph& graph, ValueId value,
                                         const IndexedVector<ValueId, std::size_t>& readers) {
    if (readers[value] != 1) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (node.output == value && (std::holds_alternative<Kinds>(node.operation) || ...)) {
            return i;
        }
    }
    return std::nullopt;
}

void erase(Graph& graph, std::size_t node) {
    graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(node));
}

void set_relu(Operation& operation) {
    std::visit(
        [](auto& one) {
            if constexpr (requires { one.relu; }) {
                one.relu = true;
            }
        },
        operation);
}

}  // namespace

Graph fuse_relu_into_max_pool(Graph graph) {
    const IndexedVector<ValueId, std::size_t> readers = reader_counts(graph);
    for (std::size_t i = 0; i < graph.nodes.size();) {
        auto* pool = std::get_if<MaxPool2d>(&graph.nodes[i].operation);
        const auto relu =
            pool == nullptr ? std::nullopt : sole_producer<Relu>(graph, graph.nodes[i].input(), readers);
        if (relu) {
            pool->relu = true;
            graph.nodes[i].inputs = graph.nodes[*relu].inputs;
            erase(graph, *relu);
        } else {
            ++i;
        }
    }
    return graph;
}

Graph fuse_residual(Graph graph) {
    const IndexedVector<ValueId, std::size_t> readers = reader_counts(graph);
    for (std::size_t i = 0; i < graph.nodes.size();) {
        const Node add = graph.nodes[i];
        if (!std::holds_alternative<Add>(add.operation)) {
            ++i;
            continue;
        }
        // Of two batch norms the later one: the other's result is there by then.
        const auto first = sole_producer<BatchNorm2d>(graph, add.inputs[0], readers);
        const auto second = sole_producer<BatchNorm2d>(graph, add.inputs[1], readers);
        const auto norm = std::max(first, second);
        if (!norm) {
            ++i;
            continue;
        }
        const ValueId other = norm == first ? add.inputs[1] : add.inputs[0];
        Node fused = graph.nodes[*norm];
        fused.inputs.push_back(other);
        fused.output = add.output;
        graph.nodes[i] = fused;
        erase(graph, *norm);
    }
    return graph;
}

Graph fuse_relu(Graph graph) {
    const IndexedVector<ValueId, std::size_t> readers = reader_counts(graph);
    for (std::size_t i = 0; i < graph.nodes.size();) {
        const auto producer = std::holds_alternative<Relu>(graph.nodes[i].operation)
                                  ? sole_producer<Conv2d, Linear, BatchNorm2d, Add, MaxPool2d>(
                                        graph, graph.nodes[i].input(), readers)
                                  : std::nullopt;
        if (producer) {
            set_relu(graph.nodes[*producer].operation);
            graph.nodes[*producer].output = graph.nodes[i].output;
            erase(graph, i);
        } else {
            ++i;
        }
    }
    return graph;
}

Graph fuse(Graph graph) {
    return fuse_relu(fuse_residual(fuse_relu_into_max_pool(std::move(graph))));
}

}  // namespace rankscope::engine
