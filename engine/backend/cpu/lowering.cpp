// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/max_pool.h>

#include <stdexcept>

namespace rankscope::engine::cpu {
namespace {

using dnnl::memory;
using Md = memory::desc;
using Tag = memory::format_tag;
using dnnl_api::dims_of;

constexpr auto kFloat = memory::data_type::f32;

Md plain(const memory::dims& dims) {
    const std::vector<Tag> tags{Tag::undef, Tag::a, Tag::ab, Tag::abc, Tag::abcd};
    return {dims, kFloat, tags.at(dims.size())};
}

Md any(const memory::dims& dims) {
    return {dims, kFloat, Tag::any};
}

memory::dims with_batch(std::int64_t batch, const Shape& shape) {
    memory::dims dims{batch};
    dims.insert(dims.end(), shape.begin(), shape.end());
    return dims;
}

dnnl_api::ConvShape conv_shape(const Conv2d& conv) {
    return {{conv.stride, conv.stride}, {conv.padding, conv.padding}};
}

/// The image that a linear layer sees through flattens, else its features.
const Shape& unflattened(const Graph& graph, std::size_t index) {
    ValueId value = graph.nodes[index].input;
    for (std::size_t i = index; i-- > 0;) {
        const Node& node = graph.nodes[i];
        if (node.output == value && std::holds_alternative<Flatten>(node.operation)) {
            value = node.input;
        }
    }
    return graph.values[value].shape;
}

/// Channel-blocked images with a 2×2 window are pooled by our own kernel; 0 for all others, else the block.
std::int64_t own_pool_block(const Md& input, const MaxPool2d& pool) {
    if (pool.kernel != 2) {
        return 0;
    }
    return input == Md(dims_of(input), kFloat, Tag::nChw16c)  ? 16
           : input == Md(dims_of(input), kFloat, Tag::nChw8c) ? 8
                                                              : 0;
}

MaxPoolShape own_pool_shape(const Md& input, const MaxPool2d& pool) {
    const memory::dims dims = dims_of(input);
    const std::int64_t block = own_pool_block(input, pool);
    return {.planes = dims[0] * ((dims[1] + block - 1) / block),
            .block = block,
            .height = dims[2],
            .width = dims[3],
            .stride = pool.stride,
            .relu = pool.relu};
}

std::span<float> floats(void* address, std::size_t bytes) {
    return {static_cast<float*>(address), bytes / sizeof(float)};
}

}  // namespace

std::vector<Md> canonical_descriptors(const Graph& graph) {
    std::vector<Md> descriptors(graph.parameters.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        for (const ParameterId id : node.parameters) {
            const Shape& shape = graph.parameters[id].shape;
            const bool linear_weight = std::holds_alternative<Linear>(node.operation) && shape.size() == 2;
            descriptors[id] = plain(linear_weight ? with_batch(shape[0], unflattened(graph, i)) : shape);
        }
    }
    return descriptors;
}

std::vector<Md> native_descriptors(const dnnl::engine& engine, const Graph& graph, std::int64_t batch) {
    std::vector<Md> descriptors = canonical_descriptors(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        if (node.parameters.empty()) {
            continue;
        }
        Md& weight = descriptors[node.parameters[0]];
        const Md& bias = descriptors[node.parameters[1]];
        const Md src = any(with_batch(batch, unflattened(graph, i)));
        const memory::dims dst = with_batch(batch, graph.values[node.output].shape);
        if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
            weight = dnnl_api::conv_forward(engine, src, any(dims_of(weight)), bias, any(dst),
                                            conv_shape(*conv), true)
                         .weights_desc();
        } else {
            weight = dnnl_api::linear_forward(engine, src, any(dims_of(weight)), bias, plain(dst), false)
                         .weights_desc();
        }
    }
    return descriptors;
}

Lowering::Lowering(const dnnl::engine& engine, const Graph& graph, std::int64_t batch,
                   const std::vector<ParameterStorage>& storage, StepPlan& plan)
    : engine_(engine),
      graph_(graph),
      batch_(batch),
      storage_(storage),
      plan_(plan),
      values_(graph.values.size()) {
    for (const ParameterStorage& parameter : storage_) {
        weights_.push_back(plan_.external(parameter.weight));
        gradients_.push_back(plan_.external(parameter.gradient));
    }
}

LoweredStep Lowering::lower(const Schedule& schedule, BufferId input) {
    LoweredStep result;
    values_[0] = {plain(with_batch(batch_, graph_.values[0].shape)), input, 0};
    for (std::size_t i = 0; i < schedule.backward_begin; ++i) {
        forward(schedule.ops[i].node);
    }
    result.forward_end = plan_.size();
    const LoweredValue& logits = values_[graph_.nodes.back().input];
    result.logits = logits.activation;
    result.logits_gradient = logits.gradient;
    plan_.pin(result.logits);
    plan_.pin(result.logits_gradient);
    for (std::size_t i = schedule.backward_begin; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        if (op.phase == Phase::backward_weights) {
            backward_weights(op);
        } else {
            backward_data(op);
        }
    }
    return result;
}

void Lowering::new_value(ValueId id, const Md& descriptor) {
    values_[id] = {descriptor, plan_.buffer(descriptor.get_size()), plan_.buffer(descriptor.get_size())};
}

void Lowering::alias(const Node& node) {
    values_[node.output] = values_[node.input];
}

bool Lowering::relu_follows(std::size_t index) const {
    return index + 1 < graph_.nodes.size() && graph_.nodes[index + 1].input == graph_.nodes[index].output &&
           std::holds_alternative<Relu>(graph_.nodes[index + 1].operation);
}

BufferId Lowering::weight_in(ParameterId id, const Md& wanted) {
    return plan_.reorder(weights_[id], storage_[id].descriptor, wanted);
}

void Lowering::forward(std::size_t index) {
    const Node& node = graph_.nodes[index];
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        forward_conv(index, *conv);
    } else if (std::holds_alternative<Linear>(node.operation)) {
        forward_linear(index);
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        forward_pool(index, *pool);
    } else if (std::holds_alternative<Relu>(node.operation)) {
        forward_relu(index);
    } else if (std::holds_alternative<Flatten>(node.operation)) {
        alias(node);
    }
}

void Lowering::forward_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    const auto desc = dnnl_api::conv_forward(
        engine_, any(dims_of(in.descriptor)), any(dims_of(storage_[weight].descriptor)),
        storage_[bias].descriptor, any(with_batch(batch_, graph_.values[node.output].shape)),
        conv_shape(conv), relu_follows(index));
    const BufferId source = plan_.reorder(in.activation, in.descriptor, desc.src_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    new_value(node.output, desc.dst_desc());
    plan_.primitive(dnnl::convolution_forward(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_SRC, desc.src_desc(), source},
                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                     {DNNL_ARG_BIAS, storage_[bias].descriptor, weights_[bias]},
                     {DNNL_ARG_DST, desc.dst_desc(), values_[node.output].activation}});
    convs_[index] = {desc, source};
}

void Lowering::forward_linear(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    // The logits are read row by row by the loss: plain.
    const auto desc = dnnl_api::linear_forward(
        engine_, any(dims_of(in.descriptor)), any(dims_of(storage_[weight].descriptor)),
        storage_[bias].descriptor, plain(with_batch(batch_, graph_.values[node.output].shape)),
        relu_follows(index));
    const BufferId source = plan_.reorder(in.activation, in.descriptor, desc.src_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    new_value(node.output, desc.dst_desc());
    plan_.primitive(dnnl::inner_product_forward(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_SRC, desc.src_desc(), source},
                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                     {DNNL_ARG_BIAS, storage_[bias].descriptor, weights_[bias]},
                     {DNNL_ARG_DST, desc.dst_desc(), values_[node.output].activation}});
    linears_[index] = {desc, source};
}

void Lowering::forward_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    if (own_pool_block(in.descriptor, pool) != 0) {
        forward_own_pool(index, pool);
        return;
    }
    const auto desc = dnnl_api::max_pool_forward(engine_, in.descriptor,
                                                 any(with_batch(batch_, graph_.values[node.output].shape)),
                                                 pool.kernel, pool.stride);
    const BufferId workspace = plan_.buffer(desc.workspace_desc().get_size());
    new_value(node.output, desc.dst_desc());
    const BufferId out = values_[node.output].activation;
    plan_.primitive(dnnl::pooling_forward(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_SRC, in.descriptor, in.activation},
                     {DNNL_ARG_DST, desc.dst_desc(), out},
                     {DNNL_ARG_WORKSPACE, desc.workspace_desc(), workspace}});
    pools_[index] = {desc, workspace};
    if (pool.relu) {
        const std::size_t bytes = desc.dst_desc().get_size();
        plan_.kernel({out}, [out, bytes](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [values = floats(at(out), bytes)] { relu_in_place(values); };
        });
    }
}

void Lowering::forward_own_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const LoweredValue in = values_[node.input];
    const MaxPoolShape shape = own_pool_shape(in.descriptor, pool);
    const memory::dims dims = with_batch(batch_, graph_.values[node.output].shape);
    new_value(node.output, {dims, kFloat, shape.block == 16 ? Tag::nChw16c : Tag::nChw8c});
    const LoweredValue out = values_[node.output];
    const std::size_t in_bytes = in.descriptor.get_size();
    const std::size_t out_bytes = out.descriptor.get_size();
    const std::size_t places = out_bytes / sizeof(float);
    const BufferId origin = plan_.buffer(places);
    pools_[index] = {{}, origin};
    plan_.kernel({in.activation, out.activation, origin}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [shape, x = floats(at(in.activation), in_bytes), y = floats(at(out.activation), out_bytes),
                from = std::span(static_cast<std::int8_t*>(at(origin)), places)] {
            max_pool_forward(shape, x, y, from);
        };
    });
}

void Lowering::forward_relu(std::size_t index) {
    const Node& node = graph_.nodes[index];
    if (node.input == 0) {
        throw std::logic_error("relu on the network's input: it would overwrite the batch");
    }
    alias(node);
    const Operation& before = graph_.nodes[index - 1].operation;
    if (std::holds_alternative<Conv2d>(before) || std::holds_alternative<Linear>(before)) {
        return;  // done by the producer, as a post-op
    }
    const BufferId out = values_[node.output].activation;
    const std::size_t bytes = values_[node.output].descriptor.get_size();
    plan_.kernel({out}, [out, bytes](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [values = floats(at(out), bytes)] { relu_in_place(values); };
    });
}

void Lowering::relu_mask(ValueId output) {
    const LoweredValue& value = values_[output];
    const std::size_t bytes = value.descriptor.get_size();
    plan_.kernel({value.activation, value.gradient},
                 [value, bytes](const StepPlan::Pointer& at) -> StepPlan::Run {
                     return [y = floats(at(value.activation), bytes), g = floats(at(value.gradient), bytes)] {
                         relu_backward_in_place(y, g);
                     };
                 });
}

void Lowering::weight_gradients(const dnnl::primitive& primitive, const Md& scratchpad,
                                std::vector<StepPlan::Argument> arguments, const Md& wanted, const Node& node,
                                const std::vector<ParameterId>& finished) {
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    const bool direct = wanted == storage_[weight].descriptor;
    const BufferId target = direct ? gradients_[weight] : plan_.buffer(wanted.get_size());
    arguments.push_back({DNNL_ARG_DIFF_WEIGHTS, wanted, target});
    arguments.push_back({DNNL_ARG_DIFF_BIAS, storage_[bias].descriptor, gradients_[bias]});
    plan_.primitive(primitive, scratchpad, std::move(arguments),
                    direct ? finished : std::vector<ParameterId>{});
    if (!direct) {
        plan_.reorder_into(target, wanted, gradients_[weight], storage_[weight].descriptor, finished);
    }
}

void Lowering::backward_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const LoweredValue& out = values_[node.output];
    if (relu_follows(op.node)) {
        relu_mask(node.output);
    }
    const Md& bias = storage_[node.parameters[1]].descriptor;
    const memory::dims weight_dims = dims_of(storage_[node.parameters[0]].descriptor);
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const ConvState& state = convs_.at(op.node);
        const auto desc =
            dnnl_api::conv_backward_weights(engine_, state.forward.src_desc(), any(weight_dims), bias,
                                            any(dims_of(out.descriptor)), conv_shape(*conv), state.forward);
        const BufferId gradient = plan_.reorder(out.gradient, out.descriptor, desc.diff_dst_desc());
        weight_gradients(dnnl::convolution_backward_weights(desc), desc.scratchpad_desc(),
                         {{DNNL_ARG_SRC, desc.src_desc(), state.source},
                          {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient}},
                         desc.diff_weights_desc(), node, op.finished);
    } else {
        const LinearState& state = linears_.at(op.node);
        const auto desc = dnnl_api::linear_backward_weights(engine_, any(dims_of(state.forward.src_desc())),
                                                            any(weight_dims), bias,
                                                            any(dims_of(out.descriptor)), state.forward);
        const BufferId source = plan_.reorder(state.source, state.forward.src_desc(), desc.src_desc());
        const BufferId gradient = plan_.reorder(out.gradient, out.descriptor, desc.diff_dst_desc());
        weight_gradients(
            dnnl::inner_product_backward_weights(desc), desc.scratchpad_desc(),
            {{DNNL_ARG_SRC, desc.src_desc(), source}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient}},
            desc.diff_weights_desc(), node, op.finished);
    }
}

void Lowering::backward_data(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        backward_data_conv(op.node, *conv);
    } else if (std::holds_alternative<Linear>(node.operation)) {
        backward_data_linear(op.node);
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        backward_data_pool(op.node, *pool);
    } else if (std::holds_alternative<Relu>(node.operation)) {
        // Behind a convolution or linear layer the mask is applied before its weights' gradient.
        const Operation& before = graph_.nodes[op.node - 1].operation;
        if (!std::holds_alternative<Conv2d>(before) && !std::holds_alternative<Linear>(before)) {
            relu_mask(node.output);
        }
    }
}

void Lowering::backward_data_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    const LoweredValue& out = values_[node.output];
    const ParameterId weight = node.parameters[0];
    const auto desc = dnnl_api::conv_backward_data(
        engine_, any(dims_of(in.descriptor)), any(dims_of(storage_[weight].descriptor)),
        any(dims_of(out.descriptor)), conv_shape(conv), convs_.at(index).forward);
    const BufferId gradient = plan_.reorder(out.gradient, out.descriptor, desc.diff_dst_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    const bool direct = desc.diff_src_desc() == in.descriptor;
    const BufferId target = direct ? in.gradient : plan_.buffer(desc.diff_src_desc().get_size());
    plan_.primitive(dnnl::convolution_backward_data(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                     {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), target}});
    if (!direct) {
        plan_.reorder_into(target, desc.diff_src_desc(), in.gradient, in.descriptor);
    }
}

void Lowering::backward_data_linear(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    const LoweredValue& out = values_[node.output];
    const ParameterId weight = node.parameters[0];
    const auto desc = dnnl_api::linear_backward_data(
        engine_, any(dims_of(in.descriptor)), any(dims_of(storage_[weight].descriptor)),
        any(dims_of(out.descriptor)), linears_.at(index).forward);
    const BufferId gradient = plan_.reorder(out.gradient, out.descriptor, desc.diff_dst_desc());
    const BufferId kernel = weight_in(weight, desc.weights_desc());
    const bool direct = desc.diff_src_desc() == in.descriptor;
    const BufferId target = direct ? in.gradient : plan_.buffer(desc.diff_src_desc().get_size());
    plan_.primitive(dnnl::inner_product_backward_data(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc(), gradient},
                     {DNNL_ARG_WEIGHTS, desc.weights_desc(), kernel},
                     {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), target}});
    if (!direct) {
        plan_.reorder_into(target, desc.diff_src_desc(), in.gradient, in.descriptor);
    }
}

void Lowering::backward_data_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const LoweredValue& in = values_[node.input];
    const LoweredValue& out = values_[node.output];
    if (own_pool_block(in.descriptor, pool) != 0) {
        backward_own_pool(index, pool);
        return;
    }
    if (pool.relu) {
        relu_mask(node.output);
    }
    const PoolState& state = pools_.at(index);
    const auto desc = dnnl_api::max_pool_backward(engine_, in.descriptor, out.descriptor, pool.kernel,
                                                  pool.stride, state.forward);
    plan_.primitive(dnnl::pooling_backward(desc), desc.scratchpad_desc(),
                    {{DNNL_ARG_DIFF_DST, out.descriptor, out.gradient},
                     {DNNL_ARG_DIFF_SRC, in.descriptor, in.gradient},
                     {DNNL_ARG_WORKSPACE, state.forward.workspace_desc(), state.workspace}});
}

void Lowering::backward_own_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const LoweredValue in = values_[node.input];
    const LoweredValue out = values_[node.output];
    const MaxPoolShape shape = own_pool_shape(in.descriptor, pool);
    const std::size_t in_bytes = in.descriptor.get_size();
    const std::size_t out_bytes = out.descriptor.get_size();
    const BufferId origin = pools_.at(index).workspace;
    plan_.kernel({out.gradient, in.gradient, origin}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [shape, dy = floats(at(out.gradient), out_bytes), dx = floats(at(in.gradient), in_bytes),
                from = std::span<const std::int8_t>(static_cast<std::int8_t*>(at(origin)),
                                                    out_bytes / sizeof(float))] {
            max_pool_backward(shape, dy, from, dx);
        };
    });
}

}  // namespace rankscope::engine::cpu
