// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/dropout.h>
#include <engine/backend/cuda/lowering.h>

namespace rankscope::engine::cuda {

void Lowering::add_drop(const std::string& name, const DropoutShape& shape, const DropoutFormula& formula,
                        BufferId from, BufferId to) {
    plan_.add({name, {from}, {to}, [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, &state = state_, x = at(from), y = at(to)](cudaStream_t stream) {
                       cuda::drop(shape, formula, &state.control->keys, x, y, stream);
                   };
               }});
}

void Lowering::drop_value(const Node& node, const Dropout& dropout, BufferId from, BufferId to) {
    const LoweredValue& of = value(node.output);
    add_drop(node.name, {options_.batch, of.pixels(), of.channels, options_.type, dropout.whole_samples},
             dropout_formula(dropout.rate, dropout.number), from, to);
}

void Lowering::forward_dropout(const Node& node, const Dropout& dropout) {
    if (options_.mode == ForwardMode::evaluate) {
        alias(node);
        return;
    }
    const BufferId x = value(node.input()).activation;
    drop_value(node, dropout, x, new_value(node.output, options_.type).activation);
}

void Lowering::backward_dropout(const Node& node, const Dropout& dropout) {
    const BufferId dy = gradient_of(node.output);
    drop_value(node, dropout, dy, new_partial(node.input()));
}

/// What a query takes of each value: the shares, or what dropout leaves of them.
BufferId Lowering::dropped_shares(const Node& node, const Attention& attention, const HeadsShape& heads,
                                  BufferId shares) {
    if (attention.dropout <= 0 || options_.mode == ForwardMode::evaluate) {
        return shares;
    }
    const BufferId dropped = plan_.buffer(static_cast<std::size_t>(heads.scores()) * size_of(heads.type));
    drop_pairs(node, attention, heads, heads.type, shares, dropped);
    return dropped;
}

/// Of a number for each query and value, the numbers of all heads one after the other.
void Lowering::drop_pairs(const Node& node, const Attention& attention, const HeadsShape& heads,
                          ElementType type, BufferId from, BufferId to) {
    add_drop(node.name + " dropout", {heads.batch, heads.heads * heads.tokens, heads.tokens, type, false},
             dropout_formula(attention.dropout, attention.number), from, to);
}

}  // namespace rankscope::engine::cuda
