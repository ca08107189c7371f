// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <memory>

namespace rankscope::engine::cpu {

bool stored_by_taps(const dnnl::memory::desc& weight) {
    const dnnl::memory::dims dims = dnnl_api::dims_of(weight);
    return dims.size() == 4 && weight == dnnl::memory::desc(dims, kFloat, dnnl::memory::format_tag::hwio) &&
           weight != plain(dims);
}

bool worth_taps(const Graph& graph, const Node& node) {
    const auto& conv = std::get<Conv2d>(node.operation);
    const Shape& in = graph.values[node.input()].shape;
    const Shape& out = graph.values[node.output].shape;
    // Measured with ResNet-18: 2×2 and 1×1 results; from 4×4 on the direct kernels are the faster ones.
    return conv.dense() && !conv.bias && !conv.relu && out[1] * out[2] <= 4 && in[1] * in[2] <= 16 &&
           in[0] >= 16;
}

TapConvolution tap_shape(const Graph& graph, const Node& node, std::int64_t batch) {
    const auto& conv = std::get<Conv2d>(node.operation);
    const Shape& in = graph.values[node.input()].shape;
    const Shape& out = graph.values[node.output].shape;
    return {.batch = batch,
            .in_channels = in[0],
            .out_channels = out[0],
            .in_height = in[1],
            .in_width = in[2],
            .out_height = out[1],
            .out_width = out[2],
            .kernel = conv.kernel,
            .stride = conv.stride,
            .padding = conv.padding};
}

bool Lowering::by_taps(const Node& node) const {
    return worth_taps(graph_, node) && stored_by_taps(storage_[node.parameters[0]].descriptor);
}

void Lowering::forward_taps(std::size_t index) {
    if (type_ != kFloat) {
        forward_taps_bf16(index);
        return;
    }
    const Node& node = graph_.nodes[index];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const BufferId source =
        activation_in(node.input(), position_major(with_batch(batch_, graph_.values[node.input()].shape)));
    const BufferId kernel = weights_[node.parameters[0]];
    new_value(node.output, position_major(output_dims(node)));
    const BufferId result = value(node.output).activation;
    kept_[index] = {source};
    plan_.kernel({source, kernel, result}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
        return [shape, runs = tap_runs(shape), x = static_cast<const float*>(at(source)),
                w = static_cast<const float*>(at(kernel)),
                y = static_cast<float*>(at(result))] { tap_forward(shape, runs, x, w, y); };
    });
}

void Lowering::backward_weights_taps(const ScheduledOp& op) {
    if (type_ != kFloat) {
        backward_weights_taps_bf16(op);
        return;
    }
    const Node& node = graph_.nodes[op.node];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const BufferId gradient = gradient_of(node.output);
    const BufferId source = kept_.at(op.node).front();
    const BufferId result = gradients_[node.parameters[0]];
    plan_.kernel(
        {source, gradient, result},
        [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [shape, runs = tap_runs(shape), x = static_cast<const float*>(at(source)),
                    dy = static_cast<const float*>(at(gradient)),
                    dw = static_cast<float*>(at(result))] { tap_backward_weights(shape, runs, x, dy, dw); };
        },
        op.finished);
}

void Lowering::backward_data_taps(std::size_t index) {
    if (type_ != kFloat) {
        backward_data_taps_bf16(index);
        return;
    }
    const Node& node = graph_.nodes[index];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const BufferId gradient = gradient_of(node.output);
    const BufferId kernel = weights_[node.parameters[0]];
    write_partial(
        node.input(), position_major(with_batch(batch_, graph_.values[node.input()].shape)),
        [&](BufferId target) {
            plan_.kernel({gradient, kernel, target}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [shape, runs = tap_runs(shape), dy = static_cast<const float*>(at(gradient)),
                        w = static_cast<const float*>(at(kernel)),
                        dx = static_cast<float*>(at(target))] { tap_backward_data(shape, runs, dy, w, dx); };
            });
        });
}

}  // namespace rankscope::engine::cpu
