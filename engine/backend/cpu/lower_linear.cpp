// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

namespace rankscope::engine::cpu {

using Md = dnnl::memory::desc;
using dnnl_api::dims_of;

Md Lowering::linear_matrix(ValueId id, dnnl::memory::data_type type) const {
    const Shape& shape = graph_.values[id].shape;
    return plain({batch_ * pixel_count(shape), shape[0]}, type);
}

// A tied weight is stored as PyTorch stores it, for the operation that it is tied to.
Md Lowering::linear_weight(const Node& node, dnnl::memory::data_type type) const {
    const Md& stored = storage_[node.parameters[0]].descriptor;
    return users_[node.parameters[0]] > 1 && type == kFloat ? stored : any(dims_of(stored), type);
}

void Lowering::forward_linear(std::size_t index, const Linear& linear) {
    const Node& node = graph_.nodes[index];
    const bool by_pixel = graph_.values[node.input()].shape.size() == 3;
    // The logits are read row by row by the loss: plain, and float.
    const bool is_logits = graph_.nodes.back().input() == node.output;
    const auto out_type = is_logits ? kFloat : type_;
    const Md matrix = by_pixel ? linear_matrix(node.output, out_type) : plain(output_dims(node), out_type);
    const Md bias = linear.bias ? storage_[node.parameters[1]].descriptor : Md();
    const auto desc = dnnl_api::linear_forward(
        engine_,
        by_pixel ? linear_matrix(node.input(), type_) : any(dims_of(value(node.input()).descriptor), type_),
        linear_weight(node, type_), bias, matrix, linear.relu);
    const BufferId source = activation_in(
        node.input(), by_pixel ? by_row(batch_, graph_.values[node.input()].shape, type_) : desc.src_desc());
    const BufferId kernel = weight_in(node.parameters[0], desc.weights_desc());
    new_value(node.output, by_row(batch_, graph_.values[node.output].shape, out_type), linear.relu);
    std::vector<StepPlan::Argument> arguments{{DNNL_ARG_SRC, desc.src_desc(), source},
                                              {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                                              {DNNL_ARG_DST, desc.dst_desc(), value(node.output).activation}};
    if (linear.bias) {
        arguments.push_back({DNNL_ARG_BIAS, bias, weights_[node.parameters[1]]});
    }
    plan_.primitive(dnnl::inner_product_forward(desc), desc.scratchpad_desc(), std::move(arguments));
    linears_[index] = {desc, source, matrix};
}

void Lowering::backward_weights_linear(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const LinearState& state = linears_.at(op.node);
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md bias = node.parameters.size() > 1 ? storage_[node.parameters[1]].descriptor : Md();
    const bool by_pixel = graph_.values[node.input()].shape.size() == 3;
    const auto either = [&](const Md& matrix) {
        return by_pixel && dnnl_api::type_of(matrix) == type_ ? matrix : any(dims_of(matrix), type_);
    };
    const auto desc = dnnl_api::linear_backward_weights(engine_, either(state.forward.src_desc()),
                                                        linear_weight(node, kFloat), bias,
                                                        either(state.output), state.forward);
    const BufferId source = plan_.reorder(state.source, state.forward.src_desc(), desc.src_desc());
    const BufferId gradient = plan_.reorder(gradient_buffer, state.output, desc.diff_dst_desc());
    weight_gradients(
        dnnl::inner_product_backward_weights(desc), desc.scratchpad_desc(),
        {{DNNL_ARG_SRC, desc.src_desc(), source}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient}},
        desc.diff_weights_desc(), node, op.finished);
}

void Lowering::backward_data_linear(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const LinearState& state = linears_.at(index);
    const BufferId gradient_buffer = gradient_of(node.output);
    const bool by_pixel = graph_.values[node.input()].shape.size() == 3;
    const auto desc = dnnl_api::linear_backward_data(
        engine_,
        by_pixel ? linear_matrix(node.input(), type_) : any(dims_of(value(node.input()).descriptor), type_),
        linear_weight(node, type_), any(dims_of(state.output), type_), state.forward);
    const BufferId gradient = plan_.reorder(gradient_buffer, state.output, desc.diff_dst_desc());
    const BufferId kernel = weight_in(node.parameters[0], desc.weights_desc());
    write_partial(node.input(),
                  by_pixel ? by_row(batch_, graph_.values[node.input()].shape, type_) : desc.diff_src_desc(),
                  [&](BufferId target) {
                      plan_.primitive(dnnl::inner_product_backward_data(desc), desc.scratchpad_desc(),
                                      {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                                       {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                                       {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), target}});
                  });
}

}  // namespace rankscope::engine::cpu
