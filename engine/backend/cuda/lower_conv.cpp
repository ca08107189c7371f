// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/lowering.h>

namespace rankscope::engine::cuda {

ConvolutionShape Lowering::conv_shape(const Node& node, const Conv2d& conv) {
    const LoweredValue& in = value(node.input());
    const std::int64_t out = padded(conv.out_channels);
    return {.batch = options_.batch,
            .in_channels = in.stored_channels(),
            .height = in.height,
            .width = in.width,
            .out_channels = out,
            .kernel = conv.kernel,
            .stride = conv.stride,
            .padding = conv.padding,
            .type = options_.type,
            .dilation = conv.dilation,
            .groups = stored_groups(node.name, in.channels, conv)};
}

void Lowering::add_bias_after(const Node& node, BufferId values, bool bias, bool relu) {
    const LoweredValue& of = value(node.output);
    const std::int64_t rows = options_.batch * of.pixels();
    const auto channels = static_cast<int>(of.stored_channels());
    const BufferId from =
        bias ? (of.type == options_.type ? weights_ : masters_)[node.parameters[1]] : values;
    plan_.add({node.name + " bias",
               {from},
               {values},
               [=, type = of.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, b = bias ? at(from) : nullptr, y = at(values)](cudaStream_t stream) {
                       add_bias(type, rows, channels, b, relu, y, stream);
                   };
               }});
}

void Lowering::forward_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    ConvolutionShape shape = conv_shape(node, conv);
    shape.bias = conv.bias;
    shape.relu = conv.relu;
    const auto kernel = libraries_.convolutions.make(ConvolutionPass::forward, shape, options_.measure);
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type, conv.relu).activation;
    const BufferId w = weights_[node.parameters[0]];
    const BufferId b = conv.bias ? weights_[node.parameters[1]] : w;
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes());
    std::vector<BufferId> reads{x, w};
    if (conv.bias) {
        reads.push_back(b);
    }
    plan_.add({node.name, reads, {y, workspace}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const ConvolutionArguments arguments{at(x), at(w), at(b), at(y), at(workspace)};
                   return [=](cudaStream_t stream) { kernel->run(arguments, stream); };
               }});
    if (!kernel->finishes()) {
        add_bias_after(node, y, conv.bias, conv.relu);
    }
}

void Lowering::bias_gradient(const Node& node, BufferId gradient, const std::vector<ParameterId>& finished) {
    const LoweredValue& out = value(node.output);
    const BatchNormShape shape{options_.batch * out.pixels(), static_cast<int>(out.stored_channels()),
                               options_.type};
    const BufferId partials = plan_.scratch(batch_norm_partials(shape) * sizeof(float), Lane::side);
    const BufferId counters = plan_.zeroed(batch_norm_counters(shape) * sizeof(unsigned));
    const BufferId to = gradients_[node.parameters[1]];
    plan_.add({node.name + " bias gradient",
               {gradient},
               {to, partials, counters},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(gradient), sums = static_cast<float*>(at(to)),
                           scratch = BatchNormScratch{static_cast<float*>(at(partials)),
                                                      static_cast<unsigned*>(at(counters))}](
                              cudaStream_t stream) { column_sums(shape, from, sums, scratch, stream); };
               },
               Lane::side,
               finished});
}

void Lowering::backward_weights_conv(const ScheduledOp& op, const Conv2d& conv) {
    const Node& node = graph_.nodes[op.node];
    const ConvolutionShape shape = conv_shape(node, conv);
    const auto kernel =
        libraries_.convolutions.make(ConvolutionPass::backward_weights, shape, options_.measure);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.input()).activation;
    // In 16 bits it is converted with its neighbours, once all of them are there (StepOperations).
    const ParameterId weight = node.parameters[0];
    const bool halves = state_.parameters[weight].half_gradient != nullptr;
    const BufferId dw = half_gradients_[weight];
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes(), Lane::side);
    // The bias first: the parameters are finished by the last operation.
    const bool bias = node.parameters.size() > 1;
    if (bias) {
        bias_gradient(node, dy, {});
    }
    plan_.add({node.name + " weight gradient",
               {x, dy},
               {dw, workspace},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const ConvolutionArguments arguments{at(x), at(dy), nullptr, at(dw), at(workspace)};
                   return [=](cudaStream_t stream) { kernel->run(arguments, stream); };
               },
               Lane::side,
               op.finished,
               1,
               halves ? std::vector<ParameterId>{weight} : std::vector<ParameterId>{}});
}

void Lowering::backward_data_conv(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const auto kernel = libraries_.convolutions.make(ConvolutionPass::backward_data, conv_shape(node, conv),
                                                     options_.measure);
    const BufferId dy = gradient_of(node.output);
    const BufferId w = weights_[node.parameters[0]];
    const BufferId dx = new_partial(node.input());
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes());
    plan_.add({node.name + " gradient",
               {dy, w},
               {dx, workspace},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const ConvolutionArguments arguments{at(dy), at(w), nullptr, at(dx), at(workspace)};
                   return [=](cudaStream_t stream) { kernel->run(arguments, stream); };
               }});
}

}  // namespace rankscope::engine::cuda
