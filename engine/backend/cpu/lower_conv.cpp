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

namespace {

/// oneDNN's loops for what it has no kernel: of a depthwise convolution in bf16 they take twenty times as long as floats
/// do with the conversions.
template <typename Descriptor>
bool is_reference(const Descriptor& descriptor) {
    return std::string_view(descriptor.impl_info_str()).starts_with("ref");
}

}  // namespace

dnnl::convolution_forward::primitive_desc Lowering::conv_forward(const Node& node, const Conv2d& conv,
                                                                 dnnl::memory::data_type type) {
    return dnnl_api::conv_forward(engine_, any(dims_of(value(node.input()).descriptor), type),
                                  any(dims_of(storage_[node.parameters[0]].descriptor), type),
                                  conv.bias ? storage_[node.parameters[1]].descriptor : Md(),
                                  any(output_dims(node), type), conv_shape(conv), conv.relu);
}

void Lowering::forward_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    auto desc = conv_forward(node, conv, type_);
    if (type_ != kFloat && is_reference(desc)) {
        desc = conv_forward(node, conv, kFloat);
    }
    const BufferId source = activation_in(node.input(), desc.src_desc());
    const BufferId kernel = weight_in(node.parameters[0], desc.weights_desc());
    const Md made = desc.dst_desc();
    const Md kept = dnnl_api::type_of(made) == type_ ? made : laid_out_like(made, type_);
    new_value(node.output, kept, conv.relu);
    const BufferId result = value(node.output).activation;
    const BufferId own = made == kept ? result : plan_.buffer(made.get_size());
    std::vector<StepPlan::Argument> arguments{{DNNL_ARG_SRC, desc.src_desc(), source},
                                              {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                                              {DNNL_ARG_DST, made, own}};
    if (conv.bias) {
        const ParameterId bias = node.parameters[1];
        arguments.push_back({DNNL_ARG_BIAS, storage_[bias].descriptor, weights_[bias]});
    }
    plan_.primitive(dnnl::convolution_forward(desc), desc.scratchpad_desc(), std::move(arguments));
    if (own != result) {
        plan_.reorder_into(own, made, result, kept);
    }
    convs_[index] = {desc, source};
}

void Lowering::backward_weights_conv(const ScheduledOp& op, const Conv2d& conv) {
    const Node& node = graph_.nodes[op.node];
    const BufferId gradient_buffer = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    ConvState state = convs_.at(op.node);
    const auto make = [&] {
        return dnnl_api::conv_backward_weights(
            engine_, state.forward.src_desc(), any(dims_of(storage_[node.parameters[0]].descriptor)),
            conv.bias ? storage_[node.parameters[1]].descriptor : Md(),
            any(dims_of(out), dnnl_api::type_of(state.forward.src_desc())), conv_shape(conv), state.forward);
    };
    auto desc = make();
    if (dnnl_api::type_of(desc.src_desc()) != kFloat && is_reference(desc)) {
        state.forward = conv_forward(node, conv, kFloat);
        desc = make();
        state.source = activation_in(node.input(), desc.src_desc());
    }
    constexpr std::int64_t kMostKernel = 16;
    if (is_reference(desc) && !conv.bias && conv.groups == conv.out_channels &&
        conv.groups == graph_.values[node.input()].shape[0] && conv.kernel <= kMostKernel) {
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
    const auto make = [&](const dnnl::convolution_forward::primitive_desc& forward) {
        const auto type = dnnl_api::type_of(forward.src_desc());
        return dnnl_api::conv_backward_data(engine_, any(dims_of(value(node.input()).descriptor), type),
                                            any(dims_of(storage_[weight].descriptor), type),
                                            any(dims_of(out), type), conv_shape(conv), forward);
    };
    auto desc = make(convs_.at(index).forward);
    if (dnnl_api::type_of(desc.diff_src_desc()) != kFloat && is_reference(desc)) {
        desc = make(conv_forward(node, conv, kFloat));
    }
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
