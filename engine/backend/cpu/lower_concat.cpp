// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <algorithm>

namespace rankscope::engine::cpu {

using dnnl_api::dims_of;
using dnnl_api::type_of;

namespace {

/// The channels [first, first + part's) of the whole.
dnnl::memory::desc channels_of(const dnnl::memory::desc& whole, const dnnl::memory::dims& part,
                               std::int64_t first) {
    return whole.submemory_desc(part, {0, first, 0, 0});
}

bool reads(const Node& node, ValueId id) {
    return std::find(node.inputs.begin(), node.inputs.end(), id) != node.inputs.end();
}

/// The concatenation that puts more channels behind the value, where all readers before it are batch norms; they can read
/// the first channels of something longer.
const Node* longer(const Graph& graph, ValueId id) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (!reads(node, id) ||
            (std::holds_alternative<BatchNorm2d>(node.operation) && node.inputs.size() == 1)) {
            continue;
        }
        const bool last =
            std::none_of(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, graph.nodes.end(),
                         [&](const Node& later) { return reads(later, id); });
        const bool longer = std::holds_alternative<Concat>(node.operation) && node.inputs[0] == id &&
                            std::count(node.inputs.begin(), node.inputs.end(), id) == 1;
        return longer && last ? &node : nullptr;
    }
    return nullptr;
}

bool read_by_norms_only(const Graph& graph, ValueId id) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
        return !reads(node, id) ||
               (std::holds_alternative<BatchNorm2d>(node.operation) && node.inputs.size() == 1);
    });
}

/// A concatenation and those that make it longer.
std::vector<const Node*> longer_and_longer(const Graph& graph, const Node& first) {
    std::vector<const Node*> chain{&first};
    while (const Node* next = longer(graph, chain.back()->output)) {
        chain.push_back(next);
    }
    if (!read_by_norms_only(graph, chain.back()->output)) {
        chain.resize(1);
    }
    return chain;
}

}  // namespace

void Lowering::forward_concat(const Node& node) {
    std::shared_ptr<LongConcat> grown = value(node.inputs[0]).grown;
    const std::size_t known = grown != nullptr ? 1 : 0;  // inputs that lie there
    Md whole;
    if (grown != nullptr) {
        whole = grown->descriptor;
    } else {
        const std::vector<const Node*> chain = longer_and_longer(graph_, node);
        // Blocked layouts can be put behind one another where every part fills its blocks.
        Md like = viewed(node.inputs[0]);
        const std::int64_t lanes = channel_view(like)->lanes;
        const bool fills = std::all_of(chain.begin(), chain.end(), [&](const Node* one) {
            return std::all_of(one->inputs.begin(), one->inputs.end(),
                               [&](ValueId input) { return graph_.values[input].shape[0] % lanes == 0; });
        });
        if (!fills) {
            like = plain(dims_of(like), type_of(like));
        }
        whole = laid_out_like(like, output_dims(*chain.back()));
        if (chain.size() > 1) {
            const std::size_t bytes = whole.get_size();
            grown = std::make_shared<LongConcat>(whole, plan_.buffer(bytes), plan_.buffer(bytes));
        }
    }
    if (grown != nullptr) {
        values_[node.output] = {.descriptor = channels_of(whole, output_dims(node), 0),
                                .activation = grown->activation,
                                .relu = false,
                                .partials = {},
                                .grown = grown};
    } else {
        new_value(node.output, whole);
    }
    const BufferId to = value(node.output).activation;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const LoweredValue& part = value(node.inputs[i]);
        if (i >= known) {
            plan_.reorder_into(part.activation, part.descriptor, to,
                               channels_of(whole, dims_of(part.descriptor), first));
        }
        first += graph_.values[node.inputs[i]].shape[0];
    }
}

void Lowering::backward_concat(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const std::shared_ptr<LongConcat> grown = value(node.output).grown;
    const BufferId gradient = grown != nullptr ? grown->gradient : gradient_of(node.output);
    const Md whole = grown != nullptr ? grown->descriptor : value(node.output).descriptor;
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
        const bool lies_there = grown != nullptr && value(input).grown == grown;
        if (!lies_there && std::find(op.inputs.begin(), op.inputs.end(), input) != op.inputs.end()) {
            const Md wanted = value(input).descriptor;
            plan_.reorder_into(gradient, channels_of(whole, dims_of(wanted), first), new_partial(input),
                               wanted);
        }
        first += graph_.values[input].shape[0];
    }
}

}  // namespace rankscope::engine::cpu
