// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/gemm.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

namespace rankscope::engine::cpu {

using Md = dnnl::memory::desc;
using dnnl_api::dims_of;

Md Lowering::linear_matrix(ValueId id, dnnl::memory::data_type type) const {
    const Shape& shape = graph_.values[id].shape;
    return plain({batch_ * pixel_count(shape), shape[0]}, type);
}

// A tied weight is stored as PyTorch stores it, for the operation that it is tied to; its gradient is, too.
Md Lowering::linear_weight(const Node& node, dnnl::memory::data_type type) const {
    const Md& stored = storage_[node.parameters[0]].descriptor;
    return users_[node.parameters[0]] > 1 && type == kFloat ? stored : any(dims_of(stored), type);
}

bool linear_by_rows(const Graph& graph, const Node& node, dnnl::memory::data_type activations) {
    return activations == kFloat && std::holds_alternative<Linear>(node.operation) &&
           graph.values[node.input()].shape.size() == 3;
}

RowProduct Lowering::row_product(const Node& node) const {
    const Shape& in = graph_.values[node.input()].shape;
    return {batch_ * pixel_count(in), in[0], graph_.values[node.output].shape[0]};
}

void Lowering::forward_linear_rows(const Node& node, const Linear& linear) {
    const RowProduct shape = row_product(node);
    const BufferId x = activation_in(node.input(), rows(node.input()));
    const BufferId w = weights_[node.parameters[0]];
    const BufferId b = linear.bias ? weights_[node.parameters[1]] : w;
    new_value(node.output, rows(node.output), linear.relu);
    const BufferId y = value(node.output).activation;
    plan_.kernel({x, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [=, from = static_cast<const float*>(at(x)), weight = static_cast<const float*>(at(w)),
                bias = contents<const float>(at(b), static_cast<std::size_t>(linear.bias ? shape.out : 0)),
                to = contents<float>(at(y), static_cast<std::size_t>(shape.rows * shape.out))] {
            repeat_row(bias, to);
            gemm(shape.rows, shape.out, shape.in, {from, shape.in}, {weight, shape.in, true}, linear.bias,
                 to.data(), shape.out);
            if (linear.relu) {
                relu_in_place(to);
            }
        };
    });
}

void Lowering::backward_weights_linear_rows(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const RowProduct shape = row_product(node);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = activation_in(node.input(), rows(node.input()));
    const BufferId dw = gradients_[node.parameters[0]];
    const bool bias = node.parameters.size() > 1;
    const BufferId db = bias ? gradients_[node.parameters[1]] : dw;
    plan_.kernel(
        {x, dy},
        [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return
                [=, from = static_cast<const float*>(at(x)),
                 gradient = contents<const float>(at(dy), static_cast<std::size_t>(shape.rows * shape.out)),
                 weight = static_cast<float*>(at(dw)),
                 sums = contents<float>(at(db), static_cast<std::size_t>(bias ? shape.out : 0))] {
                    gemm(shape.out, shape.in, shape.rows, {gradient.data(), shape.out, true},
                         {from, shape.in}, false, weight, shape.in);
                    sum_of_rows(gradient, sums);
                };
        },
        op.finished);
}

void Lowering::backward_data_linear_rows(const Node& node) {
    const RowProduct shape = row_product(node);
    const BufferId dy = gradient_of(node.output);
    const BufferId w = weights_[node.parameters[0]];
    write_partial(node.input(), rows(node.input()), [&](BufferId dx) {
        plan_.kernel({dy, dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, gradient = static_cast<const float*>(at(dy)),
                    weight = static_cast<const float*>(at(w)), to = static_cast<float*>(at(dx))] {
                gemm(shape.rows, shape.in, shape.out, {gradient, shape.out}, {weight, shape.in}, false, to,
                     shape.in);
            };
        });
    });
}

void Lowering::forward_linear(std::size_t index, const Linear& linear) {
    const Node& node = graph_.nodes[index];
    if (linear_by_rows(graph_, node, type_)) {
        forward_linear_rows(node, linear);
        return;
    }
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
    if (linear_by_rows(graph_, node, type_)) {
        backward_weights_linear_rows(op);
        return;
    }
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
    if (linear_by_rows(graph_, node, type_)) {
        backward_data_linear_rows(node);
        return;
    }
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
