// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/each_operation.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/operation_reads.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>
#include <engine/graph/schedule.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

namespace rankscope::engine {
namespace {

constexpr double kFloat = 4;

double elements(const Shape& shape) {
    return static_cast<double>(element_count(shape));
}

double stored_elements(const Shape& shape) {
    constexpr std::int64_t kGroup = 8;
    const std::int64_t channels = shape.empty() ? 1 : shape[0];
    const std::int64_t stored = (channels + kGroup - 1) / kGroup * kGroup;
    return static_cast<double>(stored * pixel_count(shape));
}

/// The gradient of the result is that of the inputs, in the same memory.
bool passes_gradient(const Operation& operation) {
    return std::visit(
        EachOperation{[](const Relu&) { return true; }, [](const Add&) { return true; },
                      [](const Flatten&) { return true; }, [](const AddPositions&) { return true; },
                      [](const SumSliceGradients&) { return true; }, [](const SumSlices&) { return true; },
                      [](const auto&) { return false; }},
        operation);
}

/// What only one operation of the schedule needs.
double passing_bytes(const Graph& graph, const ScheduledOp& op, double element_bytes) {
    const Node& node = graph.nodes[op.node];
    const auto* attention = std::get_if<Attention>(&node.operation);
    if (attention == nullptr) {
        return 0;
    }
    const Shape& out = graph.values[node.output].shape;
    const auto tokens = static_cast<double>(pixel_count(out));
    const double pairs = static_cast<double>(attention->heads) * tokens * tokens;
    return op.phase == Phase::forward || op.phase == Phase::recompute
               ? pairs * (kFloat + element_bytes) + 4 * elements(out) * element_bytes
               : pairs * (kFloat + 2 * element_bytes) + 7 * elements(out) * element_bytes;
}

/// Bytes over the operations of a schedule.
class Occupancy {
public:
    explicit Occupancy(std::size_t operations) : change_(operations + 1) {}

    void add(std::size_t first, std::size_t last, double bytes) {
        change_[first] += bytes;
        change_[last + 1] -= bytes;
    }
    double most() const {
        std::vector<double> taken(change_.size());
        std::partial_sum(change_.begin(), change_.end(), taken.begin());
        return *std::max_element(taken.begin(), taken.end());
    }

private:
    std::vector<double> change_;
};

}  // namespace

double multiply_adds(const Graph& graph, const Node& node) {
    const Shape& in = graph.values[node.input()].shape;
    const Shape& out = graph.values[node.output].shape;
    return std::visit(
        EachOperation{[&](const Conv2d& conv) {
                          const std::int64_t taps = in[0] / conv.groups * conv.kernel * conv.kernel;
                          return elements(out) * static_cast<double>(taps);
                      },
                      [&](const Linear&) { return elements(out) * static_cast<double>(in[0]); },
                      [&](const Attention& attention) {
                          // Scores, and the values' shares; relative: each query with all distances.
                          const auto tokens = static_cast<double>(pixel_count(out));
                          const double distances =
                              attention.relative ? static_cast<double>(2 * (out[1] + out[2] - 1)) : 0.0;
                          return elements(out) * (2 * tokens + distances);
                      },
                      [](const auto&) { return 0.0; }},
        node.operation);
}

bool reads_inputs_again(const Operation& operation) {
    return std::visit(
        EachOperation{[](const Conv2d&) { return true; }, [](const BatchNorm2d&) { return true; },
                      [](const Activate&) { return true; }, [](const Scale&) { return true; },
                      [](const Linear&) { return true; }, [](const Embedding&) { return true; },
                      [](const LayerNorm&) { return true; }, [](const Attention&) { return true; },
                      [](const auto&) { return false; }},
        operation);
}

bool reads_result_again(const Operation& operation) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.relu; }) {
                return one.relu;
            } else {
                return std::is_same_v<std::decay_t<decltype(one)>, Relu>;
            }
        },
        operation);
}

std::int64_t parameter_count(const Graph& graph) {
    return std::accumulate(
        graph.parameters.begin(), graph.parameters.end(), std::int64_t{0},
        [](std::int64_t sum, const Parameter& one) { return sum + element_count(one.shape); });
}

Flops flops_of(const Graph& graph) {
    Flops flops;
    for (const ScheduledOp& op : differentiate(graph).ops) {
        const Node& node = graph.nodes[op.node];
        // Of attention both factors have a gradient, and no weights but those of distances.
        const auto* attention = std::get_if<Attention>(&node.operation);
        const bool twice = attention != nullptr && op.phase == Phase::backward_data;
        const bool none = attention != nullptr && op.phase == Phase::backward_weights;
        const double count = 2 * multiply_adds(graph, node) * (twice ? 2 : none ? 0 : 1);
        flops.forward += op.phase == Phase::forward ? count : 0;
        flops.training += count;
    }
    return flops;
}

double activation_bytes(const Graph& network, double element_bytes, bool recompute) {
    const Graph graph = fuse(network);
    return activation_bytes(graph, recompute ? differentiate_with_recomputation(graph) : differentiate(graph),
                            element_bytes);
}

double activation_bytes(const Graph& graph, const Schedule& schedule, double element_bytes) {
    const ValueId logits = graph.nodes.back().input();
    const auto bytes = [&](ValueId id) {
        return stored_elements(graph.values[id].shape) * (id == logits ? kFloat : element_bytes);
    };
    IndexedVector<ValueId, std::size_t> made(graph.values.size(), 0);
    IndexedVector<ValueId, std::size_t> last(graph.values.size(), 0);    // reading of the value
    IndexedVector<ValueId, std::size_t> wanted(graph.values.size(), 0);  // reading of its gradient
    // The value whose memory each value uses; none for values that fuse() removed.
    IndexedVector<ValueId, std::optional<ValueId>> memory(graph.values.size());
    memory[kInputValue] = kInputValue;
    for (const Node& node : graph.nodes) {
        memory[node.output] = std::holds_alternative<Flatten>(node.operation) ||
                                      std::holds_alternative<SumSliceGradients>(node.operation)
                                  ? memory[node.input()]
                                  : node.output;
    }
    Occupancy occupancy(schedule.ops.size());
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        const Node& node = graph.nodes[op.node];
        const bool forward = op.phase == Phase::forward || op.phase == Phase::recompute;
        if (forward && memory[node.output] == node.output) {
            if (op.phase == Phase::recompute) {
                occupancy.add(made[node.output], last[node.output], bytes(node.output));
            }
            made[node.output] = i;
            last[node.output] = i;
        }
        if (!forward) {
            wanted[node.output] = i;
        }
        if (forward || reads_inputs_again(node.operation)) {
            for (const ValueId input : node.inputs) {
                last[*memory[input]] = i;
            }
        }
        if (!forward && reads_result_again(node.operation)) {
            last[*memory[node.output]] = i;
        }
    }
    for (const ValueId id : graph.values.indices()) {
        if (memory[id] == id && id != graph.nodes.back().output) {
            occupancy.add(made[id], last[id], bytes(id));
        }
    }
    occupancy.add(schedule.backward_begin - 1, wanted[logits], bytes(logits));
    for (std::size_t i = schedule.backward_begin; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        for (const ValueId input : op.inputs) {
            if (!passes_gradient(graph.nodes[op.node].operation) && input != logits) {
                occupancy.add(i, std::max(i, wanted[input]), bytes(input));
            }
        }
    }
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        occupancy.add(i, i, passing_bytes(graph, schedule.ops[i], element_bytes));
    }
    return occupancy.most();
}

}  // namespace rankscope::engine
