// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/batch_norm.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <stdexcept>
#include <utility>

namespace rankscope::engine::cpu {
namespace {

dnnl::memory::desc dense_layout(const LoweredValue& value) {
    return value.grown == nullptr
               ? value.descriptor
               : laid_out_like(value.grown->descriptor, dnnl_api::dims_of(value.descriptor));
}

BatchNormViews norm_views(const LoweredValue& input, const Node& node) {
    const auto view = channel_view(dense_layout(input));
    if (!view) {
        throw std::logic_error(node.name +
                               ": the convolution before it chose a layout that batch norm cannot read");
    }
    BatchNormViews views{*view, *view};
    if (input.grown != nullptr) {
        views.input = *channel_view(input.grown->descriptor);
        views.input.channels = view->channels;
        // Channels last, more lanes may fit into more channels; in other layouts both have as many.
        if (views.input.lanes != view->lanes) {
            views.input.lanes = view->lanes;
            views.input.block_stride = view->lanes;
        }
    }
    return views;
}

}  // namespace

void Lowering::forward_batch_norm(std::size_t index, const BatchNorm2d& norm) {
    const Node& node = graph_.nodes[index];
    const BatchNormViews views = norm_views(value(node.input()), node);
    const Md descriptor = dense_layout(value(node.input()));
    const BufferId x = value(node.input()).activation;
    const bool has_residual = node.inputs.size() > 1;
    const BufferId residual = has_residual ? activation_in(node.inputs[1], descriptor) : x;
    new_value(node.output, descriptor);
    const BufferId y = value(node.output).activation;
    const auto channels = static_cast<std::size_t>(views.result.padded_channels());
    const BufferId saved = plan_.buffer(2 * channels * sizeof(float));
    kept_[index] = {saved};
    const BatchNormParameters parameters{.weight = weight_at(node.parameters[0]),
                                         .bias = weight_at(node.parameters[1]),
                                         .running_mean = state_.statistics[node.statistics[0]],
                                         .running_var = state_.statistics[node.statistics[1]],
                                         .epsilon = norm.epsilon,
                                         .momentum = norm.momentum};
    for_type(dnnl_api::type_of(descriptor), [&]<typename T>(T) {
        plan_.kernel({x, residual, y, saved},
                     [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
                         const auto* in = static_cast<const T*>(at(x));
                         const auto* other = has_residual ? static_cast<const T*>(at(residual)) : nullptr;
                         auto* out = static_cast<T*>(at(y));
                         auto* mean = static_cast<float*>(at(saved));
                         return [=, &state] {
                             if (state.mode == ForwardMode::train) {
                                 batch_norm_forward<T>(views, parameters, in, other, norm.relu, out,
                                                       {mean, mean + channels}, state.sum_across_ranks);
                             } else {
                                 batch_norm_evaluate<T>(views, parameters, in, other, norm.relu, out);
                             }
                         };
                     });
    });
}

void Lowering::backward_batch_norm(const ScheduledOp& op, const BatchNorm2d& norm) {
    const Node& node = graph_.nodes[op.node];
    const Md descriptor = value(node.output).descriptor;
    const BatchNormViews views = norm_views(value(node.input()), node);
    const auto channels = static_cast<std::size_t>(views.result.padded_channels());
    LoweredValue& out = value(node.output);
    if (out.partials.size() > GradientSum<float>::kMost) {
        gradient_of(node.output);
    }
    const std::vector<BufferId> partials = out.partials;
    const BufferId x = value(node.input()).activation;
    const BufferId y = out.activation;
    const BufferId saved = kept_.at(op.node).front();
    const bool has_residual = node.inputs.size() > 1;
    const bool residual_same_layout = has_residual && value(node.inputs[1]).descriptor == descriptor;
    const std::shared_ptr<LongConcat> grown = value(node.input()).grown;
    const bool adds = grown != nullptr && std::exchange(grown->has_gradient, true);
    const BufferId dx = grown != nullptr ? grown->gradient : new_partial(node.input());
    const bool needs_masked = has_residual || partials.size() > 1;
    // Without a residual the masked gradient may lie where the result will: each element is read before.
    const bool apart = needs_masked && (has_residual || grown != nullptr);
    const BufferId masked = residual_same_layout ? new_partial(node.inputs[1])
                            : apart              ? plan_.buffer(descriptor.get_size())
                                                 : dx;
    const BatchNormParameters parameters{.weight = weight_at(node.parameters[0]),
                                         .bias = weight_at(node.parameters[1]),
                                         .running_mean = nullptr,
                                         .running_var = nullptr,
                                         .epsilon = norm.epsilon,
                                         .momentum = norm.momentum};
    float* const weight_gradient = storage_[node.parameters[0]].gradient;
    float* const bias_gradient = storage_[node.parameters[1]].gradient;
    std::vector<BufferId> touches{x, y, saved, dx, masked};
    touches.insert(touches.end(), partials.begin(), partials.end());
    for_type(dnnl_api::type_of(descriptor), [&]<typename T>(T) {
        plan_.kernel(
            touches,
            [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
                GradientSum<T> sum;
                for (const BufferId part : partials) {
                    sum.parts[sum.count++] = static_cast<const T*>(at(part));
                }
                auto* mean = static_cast<float*>(at(saved));
                const auto* in = static_cast<const T*>(at(x));
                const auto* result = norm.relu && has_residual ? static_cast<const T*>(at(y)) : nullptr;
                const BatchNormGradients<T> gradients{static_cast<T*>(at(dx)), adds,
                                                      needs_masked ? static_cast<T*>(at(masked)) : nullptr,
                                                      weight_gradient, bias_gradient};
                return [=, &state] {
                    batch_norm_backward<T>(views, parameters, in, result, norm.relu, {mean, mean + channels},
                                           sum, gradients, state.sum_across_ranks);
                };
            },
            op.finished);
    });
    if (has_residual && !residual_same_layout) {
        const BufferId partial = new_partial(node.inputs[1]);
        plan_.reorder_into(masked, descriptor, partial, value(node.inputs[1]).descriptor);
    }
}

}  // namespace rankscope::engine::cpu
