// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/channels.h>
#include <engine/backend/cuda/lowering.h>

#include <algorithm>

namespace rankscope::engine::cuda {
namespace {

ChannelsShape channels_shape(const LoweredValue& of, std::int64_t batch, ElementType type) {
    return {batch, of.pixels(), of.channels, type};
}

bool wants(const ScheduledOp& op, ValueId input) {
    return std::find(op.inputs.begin(), op.inputs.end(), input) != op.inputs.end();
}

}  // namespace

void Lowering::forward_activate(const Node& node, const Activate& operation) {
    const ChannelsShape shape = channels_shape(value(node.input()), options_.batch, options_.type);
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    plan_.add({node.name, {x}, {y}, [=, kind = operation.kind](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), to = at(y)](cudaStream_t stream) {
                       activate(shape, kind, from, to, stream);
                   };
               }});
}

void Lowering::backward_activate(const Node& node, const Activate& operation) {
    const ChannelsShape shape = channels_shape(value(node.input()), options_.batch, options_.type);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.input()).activation;
    const BufferId dx = new_partial(node.input());
    plan_.add({node.name + " gradient",
               {x, dy},
               {dx},
               [=, kind = operation.kind](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), gradient = at(dy), to = at(dx)](cudaStream_t stream) {
                       activate_backward(shape, kind, from, gradient, to, stream);
                   };
               }});
}

void Lowering::forward_scale(const Node& node) {
    const ChannelsShape shape = channels_shape(value(node.inputs[0]), options_.batch, options_.type);
    const BufferId x = value(node.inputs[0]).activation;
    const BufferId s = value(node.inputs[1]).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    plan_.add({node.name, {x, s}, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, image = at(x), factors = at(s), to = at(y)](cudaStream_t stream) {
                       scale_channels(shape, image, factors, to, stream);
                   };
               }});
}

void Lowering::backward_scale(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const ChannelsShape shape = channels_shape(value(node.inputs[0]), options_.batch, options_.type);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.inputs[0]).activation;
    const BufferId s = value(node.inputs[1]).activation;
    if (wants(op, node.inputs[1])) {
        const BufferId ds = new_partial(node.inputs[1]);
        plan_.add({node.name + " factors' gradient",
                   {x, dy},
                   {ds},
                   [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                       return [=, image = at(x), gradient = at(dy), to = at(ds)](cudaStream_t stream) {
                           scale_gradient(shape, image, gradient, to, stream);
                       };
                   }});
    }
    if (wants(op, node.inputs[0])) {
        const BufferId dx = new_partial(node.inputs[0]);
        plan_.add({node.name + " gradient", {dy, s}, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                       return [=, gradient = at(dy), factors = at(s), to = at(dx)](cudaStream_t stream) {
                           scale_channels(shape, gradient, factors, to, stream);
                       };
                   }});
    }
}

void Lowering::forward_concat(const Node& node) {
    const LoweredValue made = new_value(node.output, options_.type);
    const std::int64_t rows = options_.batch * made.pixels();
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
        const LoweredValue& part = value(input);
        const std::int64_t count = part.channels;
        const ChannelSlice from{part.stored_channels(), 0};
        const ChannelSlice to{made.stored_channels(), first};
        first += count;
        const std::int64_t zeros = first == made.channels ? made.stored_channels() - first : 0;
        const BufferId x = part.activation;
        const BufferId y = made.activation;
        plan_.add(
            {node.name, {x}, {y}, [=, type = options_.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                 return [=, source = at(x), target = at(y)](cudaStream_t stream) {
                     copy_channels(type, rows, count, zeros, from, source, to, target, stream);
                 };
             }});
    }
}

void Lowering::backward_concat(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const LoweredValue made = value(node.output);
    const std::int64_t rows = options_.batch * made.pixels();
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
        const std::int64_t count = value(input).channels;
        const ChannelSlice from{made.stored_channels(), first};
        const ChannelSlice to{value(input).stored_channels(), 0};
        first += count;
        if (!wants(op, input)) {
            continue;
        }
        const BufferId dx = new_partial(input);
        plan_.add({node.name + " gradient",
                   {dy},
                   {dx},
                   [=, type = options_.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                       return [=, source = at(dy), target = at(dx)](cudaStream_t stream) {
                           copy_channels(type, rows, count, to.row - count, from, source, to, target, stream);
                       };
                   }});
    }
}

}  // namespace rankscope::engine::cuda
