// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/dropout.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

namespace rankscope::engine::cpu {

/// Dropout counts the elements of a sample row by row; for whole samples any layout will do in which they lie together.
Lowering::Md Lowering::dropped_layout(const Node& node, const Dropout& dropout) {
    const Md own = value(node.input()).descriptor;
    const auto dims = dnnl_api::dims_of(own);
    const auto type = dnnl_api::type_of(own);
    const bool mixed = dims.size() == 4 && own == position_major(dims, type);
    return dropout.whole_samples && !mixed ? own : rows(node.input());
}

void Lowering::drop(const Dropout& dropout, const Md& layout, BufferId from, BufferId to) {
    const DropoutFormula formula = dropout_formula(dropout.rate, dropout.number);
    const std::size_t count = stored_elements(layout);
    for_type(dnnl_api::type_of(layout), [&]<typename T>(T) {
        plan_.kernel({from, to}, [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, &state, x = contents<const T>(at(from), count), y = contents<T>(at(to), count),
                    whole = dropout.whole_samples] {
                whole ? drop_samples<T>(formula, state.keys(), x, y)
                      : drop_elements<T>(formula, state.keys(), x, y);
            };
        });
    });
}

void Lowering::forward_dropout(const Node& node, const Dropout& dropout) {
    const Md layout = dropped_layout(node, dropout);
    const BufferId x = activation_in(node.input(), layout);
    new_value(node.output, layout);
    drop(dropout, layout, x, value(node.output).activation);
}

void Lowering::backward_dropout(const Node& node, const Dropout& dropout) {
    const Md layout = value(node.output).descriptor;
    const BufferId dy = gradient_of(node.output);
    write_partial(node.input(), layout, [&](BufferId dx) { drop(dropout, layout, dy, dx); });
}

}  // namespace rankscope::engine::cpu
