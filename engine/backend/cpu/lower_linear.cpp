// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

namespace rankscope::engine::cpu {

using dnnl_api::dims_of;

void Lowering::forward_linear(std::size_t index, const Linear& linear) {
    const Node& node = graph_.nodes[index];
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    // The logits are read row by row by the loss: plain, and float.
    const bool is_logits = graph_.nodes.back().input() == node.output;
    const auto desc =
        dnnl_api::linear_forward(engine_, any(dims_of(value(node.input()).descriptor), type_),
                                 any(dims_of(storage_[weight].descriptor), type_), storage_[bias].descriptor,
                                 plain(output_dims(node), is_logits ? kFloat : type_), linear.relu);
    const BufferId source = activation_in(node.input(), desc.src_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    new_value(node.output, desc.dst_desc(), linear.relu);
    plan_.primitive(dnnl::inner_product_forward(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_SRC, desc.src_desc(), source},
                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                     {DNNL_ARG_BIAS, storage_[bias].descriptor, weights_[bias]},
                     {DNNL_ARG_DST, desc.dst_desc(), value(node.output).activation}});
    linears_[index] = {desc, source};
}

void Lowering::backward_weights_linear(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const LinearState& state = linears_.at(op.node);
    const auto desc = dnnl_api::linear_backward_weights(
        engine_, any(dims_of(state.forward.src_desc()), type_),
        any(dims_of(storage_[node.parameters[0]].descriptor)), storage_[node.parameters[1]].descriptor,
        any(dims_of(out), type_), state.forward);
    const BufferId source = plan_.reorder(state.source, state.forward.src_desc(), desc.src_desc());
    const BufferId gradient = plan_.reorder(gradient_buffer, out, desc.diff_dst_desc());
    weight_gradients(
        dnnl::inner_product_backward_weights(desc), desc.scratchpad_desc(),
        {{DNNL_ARG_SRC, desc.src_desc(), source}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient}},
        desc.diff_weights_desc(), node, op.finished);
}

void Lowering::backward_data_linear(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const ParameterId weight = node.parameters[0];
    const auto desc =
        dnnl_api::linear_backward_data(engine_, any(dims_of(value(node.input()).descriptor), type_),
                                       any(dims_of(storage_[weight].descriptor), type_),
                                       any(dims_of(out), type_), linears_.at(index).forward);
    const BufferId gradient = plan_.reorder(gradient_buffer, out, desc.diff_dst_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    write_partial(node.input(), desc.diff_src_desc(), [&](BufferId target) {
        plan_.primitive(dnnl::inner_product_backward_data(desc), desc.scratchpad_desc(),
                        {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                         {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                         {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), target}});
    });
}

}  // namespace rankscope::engine::cpu
