// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/lowering.h>

namespace rankscope::engine::cuda {
std::optional<Lowering::Product> Lowering::product_of(const Node& node) {
    const auto* conv = std::get_if<Conv2d>(&node.operation);
    const auto* linear = std::get_if<Linear>(&node.operation);
    if (conv == nullptr && linear == nullptr) {
        return std::nullopt;
    }
    const LoweredValue& in = value(node.input());
    const std::int64_t row = in.pixels() * in.stored_channels();
    if (linear != nullptr && graph_.values[node.input()].shape.size() == 3) {
        const std::int64_t channels = in.stored_channels();
        return Product{options_.batch * in.pixels(), 0, channels, channels, true, linear->relu};
    }
    if (linear != nullptr) {
        return Product{options_.batch, 0, row, row, true, linear->relu};
    }
    const auto point =
        point_convolution(graph_.values[node.input()].shape, graph_.values[node.output].shape, *conv);
    if (!point) {
        return std::nullopt;
    }
    if (point->whole_input) {
        return Product{options_.batch, 0, row, row, true, conv->relu};
    }
    return Product{options_.batch, point->pixel * in.stored_channels(), row, in.stored_channels(), false,
                   conv->relu};
}

void Lowering::forward_product(const Node& node, const Product& product) {
    const BufferId x = value(node.input()).activation;
    const LoweredValue& made =
        new_value(node.output, direct_logits(node) ? ElementType::f32 : options_.type, product.relu);
    const bool bias = node.parameters.size() > 1;
    const auto kernel = libraries_.products.make({.m = product.rows,
                                                  .n = made.stored_channels(),
                                                  .k = product.depth,
                                                  .transpose_b = true,
                                                  .a_row = product.row,
                                                  .b_row = product.depth,
                                                  .d_row = made.stored_channels(),
                                                  .input = options_.type,
                                                  .output = made.type,
                                                  .bias = bias,
                                                  .relu = product.relu},
                                                 options_.measure);
    const BufferId y = made.activation;
    const BufferId w = weights_[node.parameters[0]];
    const BufferId b = bias ? (made.type == options_.type ? weights_ : masters_)[node.parameters[1]] : w;
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes());
    std::vector<BufferId> reads{x, w};
    if (bias) {
        reads.push_back(b);
    }
    plan_.add({node.name,
               reads,
               {y, workspace},
               [=, type = options_.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = moved(at(x), product.offset, type), weights = at(w), add = at(b),
                           to = at(y), scratch = at(workspace)](cudaStream_t stream) {
                       kernel->run(from, weights, add, to, scratch, stream);
                   };
               }});
    if (!kernel->finishes()) {
        add_bias_after(node, y, bias, product.relu);
    }
}

void Lowering::backward_weights_product(const ScheduledOp& op, const Product& product) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.input()).activation;
    const std::int64_t out = value(node.output).stored_channels();
    const auto kernel = libraries_.products.make({.m = out,
                                                  .n = product.depth,
                                                  .k = product.rows,
                                                  .transpose_a = true,
                                                  .a_row = out,
                                                  .b_row = product.row,
                                                  .d_row = product.depth,
                                                  .input = options_.type,
                                                  .output = ElementType::f32},
                                                 options_.measure);
    if (node.parameters.size() > 1) {
        bias_gradient(node, dy, {});
    }
    const BufferId dw = gradients_[node.parameters[0]];
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes(), Lane::side);
    plan_.add({node.name + " weight gradient",
               {x, dy},
               {dw, workspace},
               [=, type = options_.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, gradient = at(dy), from = moved(at(x), product.offset, type), to = at(dw),
                           scratch = at(workspace)](cudaStream_t stream) {
                       kernel->run(gradient, from, nullptr, to, scratch, stream);
                   };
               },
               Lane::side,
               op.finished});
}

void Lowering::backward_data_product(const Node& node, const Product& product) {
    const BufferId dy = gradient_of(node.output);
    const std::int64_t out = value(node.output).stored_channels();
    const auto kernel = libraries_.products.make({.m = product.rows,
                                                  .n = product.depth,
                                                  .k = out,
                                                  .a_row = out,
                                                  .b_row = product.depth,
                                                  .d_row = product.row,
                                                  .input = options_.type,
                                                  .output = options_.type},
                                                 options_.measure);
    const BufferId dx = new_partial(node.input());
    const auto size = static_cast<std::size_t>(product.rows * product.row) * size_of(options_.type);
    if (!product.whole) {
        plan_.add(
            {node.name + " gradient elsewhere", {}, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                 return [=, to = at(dx)](cudaStream_t stream) {
                     cuda_check(cudaMemsetAsync(to, 0, size, stream), "cudaMemsetAsync");
                 };
             }});
    }
    const BufferId w = weights_[node.parameters[0]];
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes());
    plan_.add({node.name + " gradient",
               {dy, w},
               {dx, workspace},
               [=, type = options_.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, gradient = at(dy), weights = at(w), to = moved(at(dx), product.offset, type),
                           scratch = at(workspace)](cudaStream_t stream) {
                       kernel->run(gradient, weights, nullptr, to, scratch, stream);
                   };
               }});
}

}  // namespace rankscope::engine::cuda
