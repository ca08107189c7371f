// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Sums over the ranks that have slices of a layer. Values are summed in rows, a layout that is the same on every CPU:
// that of a convolution depends on what the CPU can do.

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <cstring>

namespace rankscope::engine::cpu {

using Md = dnnl::memory::desc;

namespace {

/// The same numbers row by row.
Md by_rows(const Md& layout, dnnl::memory::data_type type) {
    const dnnl::memory::dims dims = dnnl_api::dims_of(layout);
    return dims.size() == 4 ? Md(dims, type, dnnl::memory::format_tag::acdb) : plain(dims, type);
}

}  // namespace

void Lowering::sum_over_slices(BufferId buffer, const Md& layout) {
    const std::size_t count = stored_elements(layout);
    const bool bf16 = dnnl_api::type_of(layout) == dnnl::memory::data_type::bf16;
    plan_.kernel({buffer}, [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [&state, values = Piece{at(buffer), count},
                type = bf16 ? ElementType::bf16 : ElementType::f32] { state.sum_over_slices(values, type); };
    });
}

/// The same memory, with a gradient of its own.
void Lowering::forward_sum_gradients(const Node& node) {
    const Md own = value(node.input()).descriptor;
    const Md layout = value(node.input()).grown != nullptr ? by_rows(own, type_) : own;
    const BufferId same = activation_in(node.input(), layout);
    LoweredValue& made = values_[node.output];
    made = {layout, same, false, std::move(made.partials)};
}

/// The gradient of the result is that of the input, which has no other one in this memory.
void Lowering::give_gradient(const Node& node, bool summed) {
    const Md own = value(node.output).descriptor;
    const Md layout = by_rows(own, type_);
    const BufferId gradient = plan_.reorder(gradient_of(node.output), own, layout);
    if (summed) {
        sum_over_slices(gradient, layout);
    }
    LoweredValue& input = value(node.input());
    if (input.descriptor == layout) {
        input.partials.push_back(gradient);
    } else {
        plan_.reorder_into(gradient, layout, new_partial(node.input()), input.descriptor);
    }
}

void Lowering::forward_sum(const Node& node) {
    const bool is_logits = graph_.nodes.back().input() == node.output;  // which the loss reads as floats
    const Md layout = by_rows(value(node.input()).descriptor, is_logits ? kFloat : type_);
    const BufferId part = activation_in(node.input(), layout);
    new_value(node.output, layout);
    const BufferId sum = value(node.output).activation;
    // A copy: where values are computed again, the part may be what was kept.
    const std::size_t bytes = layout.get_size();
    plan_.kernel({part, sum}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [from = at(part), to = at(sum), bytes] { std::memcpy(to, from, bytes); };
    });
    sum_over_slices(sum, layout);
}

}  // namespace rankscope::engine::cpu
