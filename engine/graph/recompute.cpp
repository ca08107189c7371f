// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/cuts.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/operation_reads.h>
#include <engine/graph/recompute.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

namespace rankscope::engine {
namespace {

/// A block: the nodes [begin, end); the result of the last one is kept.
struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Where blocks may end: their backward pass reads nothing of the block but what it computes again.
std::vector<std::size_t> ends_of_blocks(const Graph& graph) {
    std::vector<std::size_t> found = cuts(graph);
    std::erase_if(found, [&](std::size_t node) {
        const Operation& operation = graph.nodes[node].operation;
        return reads_inputs_again(operation) && !std::holds_alternative<BatchNorm2d>(operation);
    });
    return found;
}

/// As few blocks as their inner values fit into `most` elements; those between two cuts stay together. Not the last one:
/// its values are read at once.
std::vector<Block> blocks_of(const Graph& graph, const std::vector<std::size_t>& cuts, double most) {
    std::vector<Block> blocks;
    std::size_t begin = 0;
    std::size_t next = 0;
    double taken = 0;
    std::optional<std::size_t> last_cut;
    for (const std::size_t cut : cuts) {
        double added = 0;
        for (; next <= cut; ++next) {
            added += static_cast<double>(element_count(graph.values[graph.nodes[next].output].shape));
        }
        if (last_cut && taken + added > most) {
            blocks.push_back({begin, *last_cut + 1});
            begin = *last_cut + 1;
            taken = 0;
        }
        taken += added;
        last_cut = cut;
    }
    if (last_cut) {
        blocks.push_back({begin, *last_cut + 1});
    }
    return blocks;
}

/// Nodes of the block whose results its backward pass reads, or other such nodes, and those that keep much.
std::vector<std::size_t> needed_again(const Graph& graph, const Block& block) {
    std::set<ValueId> wanted;
    const auto want_inputs = [&](const Node& node) { wanted.insert(node.inputs.begin(), node.inputs.end()); };
    for (std::size_t i = block.begin; i < block.end; ++i) {
        const Node& node = graph.nodes[i];
        if (reads_inputs_again(node.operation)) {
            want_inputs(node);
        }
        if (reads_result_again(node.operation)) {
            wanted.insert(node.output);
        }
    }
    std::vector<std::size_t> again;
    for (std::size_t i = block.end - 1; i-- > block.begin;) {
        const Node& node = graph.nodes[i];
        if (wanted.contains(node.output) || std::holds_alternative<Attention>(node.operation) ||
            std::holds_alternative<MaxPool2d>(node.operation)) {
            again.push_back(i);
            want_inputs(node);
        }
    }
    return {again.rbegin(), again.rend()};
}

Schedule with_blocks(const Graph& graph, const Schedule& plain, const std::vector<Block>& blocks) {
    Schedule schedule{
        {plain.ops.begin(), plain.ops.begin() + static_cast<std::ptrdiff_t>(plain.backward_begin)},
        plain.backward_begin};
    std::size_t open = blocks.size();  // blocks [open, …) have begun their backward pass
    for (std::size_t i = plain.backward_begin; i < plain.ops.size(); ++i) {
        const ScheduledOp& op = plain.ops[i];
        if (open > 0 && op.node < blocks[open - 1].end) {
            --open;
            for (const std::size_t node : needed_again(graph, blocks[open])) {
                schedule.ops.push_back({.node = node, .phase = Phase::recompute});
            }
        }
        schedule.ops.push_back(op);
    }
    return schedule;
}

}  // namespace

Schedule differentiate_with_recomputation(const Graph& graph) {
    constexpr double kAnyWidth = 4;
    constexpr int kSizes = 24;
    const Schedule plain = differentiate(graph);
    const std::vector<std::size_t> found = ends_of_blocks(graph);
    double total = 0;
    for (const Value& value : graph.values) {
        total += static_cast<double>(element_count(value.shape));
    }
    Schedule best = plain;
    double least = activation_bytes(graph, plain, kAnyWidth);
    std::size_t blocks_before = 0;
    // From blocks of a few thousandths of the network to the whole of it.
    for (int size = 0; size < kSizes; ++size) {
        const std::vector<Block> blocks =
            blocks_of(graph, found, total * std::pow(2.0, -0.4 * static_cast<double>(size)));
        if (blocks.size() == blocks_before) {
            continue;
        }
        blocks_before = blocks.size();
        Schedule schedule = with_blocks(graph, plain, blocks);
        if (const double bytes = activation_bytes(graph, schedule, kAnyWidth); bytes < least) {
            least = bytes;
            best = std::move(schedule);
        }
    }
    return best;
}

}  // namespace rankscope::engine
