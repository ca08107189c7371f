// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/depthwise.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <string_view>

namespace rankscope::engine::cpu {

using dnnl_api::dims_of;

dnnl_api::ConvShape conv_shape(const Conv2d& conv) {
    return {{conv.stride, conv.stride}, {conv.padding, conv.padding}, {conv.dilation - 1, conv.dilation - 1}};
}

dnnl::memory::dims weight_dims(const Node& node, const Shape& shape) {
    const auto* conv = std::get_if<Conv2d>(&node.operation);
    if (conv == nullptr || conv->groups == 1 || shape.size() != 4) {
        return shape;
    }
    return {conv->groups, shape[0] / conv->groups, shape[1], shape[2], shape[3]};
}

void Lowering::forward_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const ParameterId weight = node.parameters[0];
    const Md bias = conv.bias ? storage_[node.parameters[1]].descriptor : Md();
    const auto desc = dnnl_api::conv_forward(engine_, any(dims_of(value(node.input()).descriptor), type_),
                                             any(dims_of(storage_[weight].descriptor), type_), bias,
                                             any(output_dims(node), type_), conv_shape(conv), conv.relu);
    const BufferId source = activation_in(node.input(), desc.src_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    new_value(node.output, desc.dst_desc(), conv.relu);
    std::vector<StepPlan::Argument> arguments{{DNNL_ARG_SRC, desc.src_desc(), source},
                                              {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                                              {DNNL_ARG_DST, desc.dst_desc(), value(node.output).activation}};
    if (conv.bias) {
        arguments.push_back({DNNL_ARG_BIAS, bias, weights_[node.parameters[1]]});
    }
    plan_.primitive(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
    convs_[index] = {desc, source};
}

void Lowering::backward_weights_conv(const ScheduledOp& op, const Conv2d& conv) {
    const Node& node = graph_.nodes[op.node];
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const Md bias = conv.bias ? storage_[node.parameters[1]].descriptor : Md();
    const ConvState& state = convs_.at(op.node);
    const auto desc = dnnl_api::conv_backward_weights(
        engine_, state.forward.src_desc(), any(dims_of(storage_[node.parameters[0]].descriptor)), bias,
        any(dims_of(out), type_), conv_shape(conv), state.forward);
    constexpr std::int64_t kMostKernel = 16;
    if (std::string_view(desc.impl_info_str()).starts_with("ref") && type_ == kFloat && !conv.bias &&
        conv.groups == conv.out_channels && conv.groups == graph_.values[node.input()].shape[0] &&
        conv.kernel <= kMostKernel) {
        backward_weights_depthwise(op, conv);
        return;
    }
    const BufferId gradient = plan_.reorder(gradient_buffer, out, desc.diff_dst_desc());
    weight_gradients(
        dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(),
        {{DNNL_ARG_SRC, desc.src_desc(), state.source}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient}},
        desc.diff_weights_desc(), node, op.finished);
}

void Lowering::backward_weights_depthwise(const ScheduledOp& op, const Conv2d& conv) {
    const Node& node = graph_.nodes[op.node];
    const Shape& in = graph_.values[node.input()].shape;
    const Shape& out = graph_.values[node.output].shape;
    const auto blocked = [&](const Shape& shape) {
        return Md(with_batch(batch_, shape), kFloat, dnnl::memory::format_tag::nChw16c);
    };
    const DepthwiseShape shape{batch_, in[0],       in[1],       in[2],        out[1],
                               out[2], conv.kernel, conv.stride, conv.padding, conv.dilation};
    const BufferId x = activation_in(node.input(), blocked(in));
    const BufferId dy = plan_.reorder(gradient_of(node.output), value(node.output).descriptor, blocked(out));
    const Md& stored = storage_[node.parameters[0]].descriptor;
    const Md made = plain(dims_of(stored));
    const BufferId dw = plan_.buffer(made.get_size());
    const std::size_t x_count = stored_elements(blocked(in));
    const std::size_t dy_count = stored_elements(blocked(out));
    plan_.kernel({x, dy, dw}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [=, from = contents<const float>(at(x), x_count),
                gradient = contents<const float>(at(dy), dy_count),
                to = contents<float>(at(dw), made.get_size() / sizeof(float))] {
            depthwise_weight_gradient(shape, from, gradient, to);
        };
    });
    plan_.reorder_into(dw, made, gradients_[node.parameters[0]], stored, op.finished);
}

void Lowering::backward_data_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const ParameterId weight = node.parameters[0];
    const auto desc =
        dnnl_api::conv_backward_data(engine_, any(dims_of(value(node.input()).descriptor), type_),
                                     any(dims_of(storage_[weight].descriptor), type_),
                                     any(dims_of(out), type_), conv_shape(conv), convs_.at(index).forward);
    const BufferId gradient = plan_.reorder(gradient_buffer, out, desc.diff_dst_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    write_partial(node.input(), desc.diff_src_desc(), [&](BufferId target) {
        plan_.primitive(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
                        {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                         {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                         {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), target}});
    });
}

}  // namespace rankscope::engine::cpu
