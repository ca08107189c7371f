// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

namespace rankscope::engine::cpu {
namespace {

/// Products of the direct algorithm that are not with the padding's zeros, per channel pair.
std::int64_t direct_products(const Shape& in, const Shape& out, const Conv2d& conv) {
    const auto along = [&](std::int64_t from, std::int64_t to) {
        std::int64_t count = 0;
        for (std::int64_t o = 0; o < to; ++o) {
            for (std::int64_t k = 0; k < conv.kernel; ++k) {
                const std::int64_t i = o + k - conv.padding;
                count += i >= 0 && i < from ? 1 : 0;
            }
        }
        return count;
    };
    return along(in[1], out[1]) * along(in[2], out[2]);
}

/// What comes after the oldest instruction set that oneDNN has bf16 for; DNNL_MAX_CPU_ISA counts.
bool multiplies_tiles() {
    return dnnl::get_effective_cpu_isa() != dnnl::cpu_isa::avx512_core_bf16;
}

}  // namespace

std::optional<WinogradTiling> worth_winograd(const Graph& graph, const Node& node,
                                             dnnl::memory::data_type activations) {
    if (activations != kFloat && (worth_taps(graph, node) || multiplies_tiles())) {
        return std::nullopt;
    }
    const auto& conv = std::get<Conv2d>(node.operation);
    const Shape& in = graph.values[node.input()].shape;
    const Shape& out = graph.values[node.output].shape;
    if (!conv.dense() || conv.kernel != 3 || conv.stride != 1 || conv.padding > 1 || in[0] % 16 != 0 ||
        out[0] % 16 != 0 || in[0] < 32) {
        return std::nullopt;
    }
    if (conv.padding == 1 && in[1] == 2 && in[2] == 2) {
        return WinogradTiling::padded_two;
    }
    // The transforms cost about as much as a third of the products they save (measured with ResNet-18).
    const std::int64_t products = (out[1] + 3) / 4 * ((out[2] + 3) / 4) * 36;
    return products * 3 < direct_products(in, out, conv) * 2 ? std::optional(WinogradTiling::four)
                                                             : std::nullopt;
}

std::optional<WinogradTiling> Lowering::by_winograd(const Node& node) const {
    return stored_by_taps(storage_[node.parameters[0]].descriptor) ? worth_winograd(graph_, node, type_)
                                                                   : std::nullopt;
}

WinogradConvolution Lowering::winograd_shape(const Node& node, const Md& input, const Md& output) const {
    const Shape& in = graph_.values[node.input()].shape;
    const Shape& out = graph_.values[node.output].shape;
    return {.tiling = *worth_winograd(graph_, node, type_),
            .input = *channel_view(input),
            .output = *channel_view(output),
            .batch = batch_,
            .in_height = in[1],
            .in_width = in[2],
            .out_height = out[1],
            .out_width = out[2],
            .padding = std::get<Conv2d>(node.operation).padding};
}

dnnl::memory::desc Lowering::winograd_layout(const Node& node) {
    const Md input = value(node.input()).descriptor;
    if (*worth_winograd(graph_, node, type_) == WinogradTiling::padded_two) {
        return position_major(dnnl_api::dims_of(input));
    }
    const auto view = channel_view(input);
    return view && view->lanes % 8 == 0
               ? laid_out_like(input, kFloat)
               : Md(dnnl_api::dims_of(input), kFloat, dnnl::memory::format_tag::nhwc);
}

void Lowering::forward_winograd(std::size_t index, const Conv2d& conv) {
    const Node& node = graph_.nodes[index];
    const Md layout = winograd_layout(node);
    const BufferId source = activation_in(node.input(), layout);
    const Md made = laid_out_like(layout, output_dims(node));
    const Md kept = laid_out_like(made, type_);
    new_value(node.output, kept, conv.relu);
    const WinogradConvolution shape = winograd_shape(node, layout, made);
    const BufferId result = made == kept ? value(node.output).activation : plan_.buffer(made.get_size());
    const BufferId kernel = weights_[node.parameters[0]];
    const BufferId weights = plan_.buffer(shape.weights_size() * sizeof(float));
    const BufferId input = plan_.buffer(shape.input_size() * sizeof(float));
    const BufferId products = plan_.buffer(shape.output_size() * sizeof(float));
    const float* bias = conv.bias ? weight_at(node.parameters[1]) : nullptr;
    kept_[index] = {source, weights};
    plan_.kernel({source, kernel, result, weights, input, products},
                 [=, relu = conv.relu](const StepPlan::Pointer& at) -> StepPlan::Run {
                     const auto floats_at = [&](BufferId id) { return static_cast<float*>(at(id)); };
                     const WinogradForward run{
                         .input = floats_at(source),
                         .weights = floats_at(kernel),
                         .bias = bias,
                         .relu = relu,
                         .output = floats_at(result),
                         .transformed_weights = floats_at(weights),
                         .workspace = {.input = floats_at(input), .output = floats_at(products)}};
                     return [shape, run] { winograd_forward(shape, run); };
                 });
    if (made != kept) {
        plan_.reorder_into(result, made, value(node.output).activation, kept);
    }
}

// The input's gradient comes with the weights': one pass over the transformed gradient serves both.
void Lowering::backward_winograd(const ScheduledOp& op, bool with_input) {
    const Node& node = graph_.nodes[op.node];
    const Md layout = winograd_layout(node);
    const Md made = laid_out_like(layout, output_dims(node));
    const BufferId dy = plan_.reorder(gradient_of(node.output), value(node.output).descriptor, made);
    const WinogradConvolution shape = winograd_shape(node, layout, made);
    const BufferId source = kept_.at(op.node)[0];
    const BufferId weights = kept_.at(op.node)[1];
    const BufferId input = plan_.buffer(shape.input_size() * sizeof(float));
    const BufferId output = plan_.buffer(shape.output_size() * sizeof(float));
    const BufferId products = plan_.buffer(shape.weights_size() * sizeof(float));
    const BufferId result = gradients_[node.parameters[0]];
    float* bias = node.parameters.size() > 1 ? storage_[node.parameters[1]].gradient : nullptr;
    const auto plan = [&](std::optional<BufferId> dx) {
        std::vector<BufferId> touches{dy, source, weights, input, output, products, result};
        if (dx) {
            touches.push_back(*dx);
        }
        plan_.kernel(
            touches,
            [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                const auto floats_at = [&](BufferId id) { return static_cast<float*>(at(id)); };
                const WinogradBackward run{
                    .input = floats_at(source),
                    .transformed_weights = floats_at(weights),
                    .output_gradient = floats_at(dy),
                    .weights_gradient = floats_at(result),
                    .bias_gradient = bias,
                    .input_gradient = dx ? floats_at(*dx) : nullptr,
                    .transformed_weights_gradient = floats_at(products),
                    .workspace = {.input = floats_at(input), .output = floats_at(output)}};
                return [shape, run] { winograd_backward(shape, run); };
            },
            op.finished);
    };
    if (with_input) {
        write_partial(node.input(), layout, [&](BufferId dx) { plan(dx); });
    } else {
        plan(std::nullopt);
    }
}

}  // namespace rankscope::engine::cpu
