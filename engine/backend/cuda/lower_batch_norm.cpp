// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/lowering.h>

#include <stdexcept>

namespace rankscope::engine::cuda {
namespace {

/// The batch's mean, inverse deviation and scale, one behind the other.
constexpr std::size_t kVectors = 3;

BatchNormVectors vectors_at(float* kept, std::size_t channels, const BatchNorm2d& norm,
                            const ParameterPlace& weight, const ParameterPlace& bias, float* running_mean,
                            float* running_var) {
    return {weight.weight,   bias.weight,         running_mean, running_var,  kept,
            kept + channels, kept + 2 * channels, norm.epsilon, norm.momentum};
}

}  // namespace

/// One kernel per direction, where the sums of other ranks need not come between its halves and the rows fit.
std::optional<ClusterTiling> Lowering::whole_norm(const BatchNormShape& shape) const {
    if (options_.mode == ForwardMode::evaluate || state_.enqueue_sum) {
        return std::nullopt;
    }
    return cluster_tiling(shape, options_.cluster_blocks);
}

void Lowering::forward_batch_norm(std::size_t index, const BatchNorm2d& norm) {
    const Node& node = graph_.nodes[index];
    const LoweredValue in = value(node.input());
    const BatchNormShape shape{options_.batch * in.pixels(), static_cast<int>(in.stored_channels()),
                               options_.type};
    const auto channels = static_cast<std::size_t>(shape.channels);
    const BufferId x = in.activation;
    const bool has_residual = node.inputs.size() > 1;
    const BufferId residual = has_residual ? value(node.inputs[1]).activation : x;
    const BufferId y = new_value(node.output, options_.type, norm.relu).activation;
    KeptNorm kept;
    kept.vectors = plan_.buffer(kVectors * channels * sizeof(float));
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    const auto bind = [=, this](const StepPlan::Pointer& at) {
        return vectors_at(static_cast<float*>(at(kept.vectors)), channels, norm, state_.parameters[weight],
                          state_.parameters[bias], state_.statistics[node.statistics[0]],
                          state_.statistics[node.statistics[1]]);
    };
    const std::vector<BufferId> parameters{masters_[weight], masters_[bias]};
    if (const auto tiling = whole_norm(shape)) {
        norms_[index] = kept;
        std::vector<BufferId> reads = parameters;
        reads.push_back(x);
        if (has_residual) {
            reads.push_back(residual);
        }
        plan_.add({node.name, reads, {kept.vectors, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                       return [=, tiling = *tiling, vectors = bind(at), from = at(x),
                               other = has_residual ? at(residual) : nullptr,
                               to = at(y)](cudaStream_t stream) {
                           cluster_norm_forward(shape, tiling, from, other, norm.relu, vectors, to, stream);
                       };
                   }});
        return;
    }
    if (options_.mode == ForwardMode::evaluate) {
        plan_.add({node.name + " scale",
                   parameters,
                   {kept.vectors},
                   [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                       return [=, vectors = bind(at)](cudaStream_t stream) {
                           batch_norm_evaluation(shape, vectors, stream);
                       };
                   }});
    } else {
        const BufferId partials = plan_.scratch(batch_norm_partials(shape) * sizeof(float));
        const BufferId counters = plan_.zeroed(batch_norm_counters(shape) * sizeof(unsigned));
        const bool synchronised = static_cast<bool>(state_.enqueue_sum);
        kept.sums = synchronised ? plan_.buffer(batch_norm_sums(shape) * sizeof(double)) : kept.vectors;
        std::vector<BufferId> reads = parameters;
        reads.push_back(x);
        std::vector<BufferId> writes{kept.vectors, partials, counters};
        if (synchronised) {
            writes.push_back(kept.sums);
        }
        plan_.add({node.name + " statistics",
                   reads,
                   writes,
                   [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
                       const BatchNormScratch scratch{static_cast<float*>(at(partials)),
                                                      static_cast<unsigned*>(at(counters))};
                       return [=, &state = state_, vectors = bind(at), from = at(x),
                               sums = static_cast<double*>(at(kept.sums))](cudaStream_t stream) {
                           if (!synchronised) {
                               batch_norm_statistics(shape, from, vectors, scratch, stream);
                               return;
                           }
                           batch_norm_statistics_sums(shape, from, sums, scratch, stream);
                           state.enqueue_sum({sums, batch_norm_sums(shape)}, stream);
                           batch_norm_statistics_finish(shape, sums, vectors, stream);
                       };
                   },
                   Lane::main,
                   {},
                   synchronised ? std::size_t{3} : 1,
                   {},
                   synchronised});
    }
    norms_[index] = kept;
    std::vector<BufferId> applied{x, kept.vectors};
    if (has_residual) {
        applied.push_back(residual);
    }
    plan_.add({node.name, applied, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, vectors = bind(at), from = at(x), other = has_residual ? at(residual) : nullptr,
                           to = at(y)](cudaStream_t stream) {
                       batch_norm_apply(shape, from, other, norm.relu, vectors, to, stream);
                   };
               }});
}

void Lowering::backward_batch_norm(const ScheduledOp& op, const BatchNorm2d& norm) {
    const Node& node = graph_.nodes[op.node];
    LoweredValue& out = value(node.output);
    if (out.partials.size() > GradientParts::kMost) {
        gradient_of(node.output);
    }
    if (out.partials.empty()) {
        throw std::logic_error(node.name + " has no gradient");
    }
    const bool relu = norm.relu && out.relu;  // not masked yet
    const std::vector<BufferId> parts = out.partials;
    const BatchNormShape shape{options_.batch * out.pixels(), static_cast<int>(out.stored_channels()),
                               options_.type};
    const auto channels = static_cast<std::size_t>(shape.channels);
    const BufferId x = value(node.input()).activation;
    const BufferId y = out.activation;
    const KeptNorm kept = norms_.at(op.node);
    const bool has_residual = node.inputs.size() > 1;
    const BufferId dx = new_partial(node.input());
    // Without a residual the masked gradient may lie where the result will: each element is read before.
    const bool needs_masked = has_residual || parts.size() > 1;
    const BufferId masked = has_residual ? new_partial(node.inputs[1]) : dx;
    const ParameterId weight = node.parameters[0];
    const ParameterId bias = node.parameters[1];
    const auto bind_parts = [=, this](const StepPlan::Pointer& at) {
        BatchNormBackward backward;
        backward.x = at(x);
        backward.y = relu && has_residual ? at(y) : nullptr;
        backward.relu = relu;
        for (const BufferId part : parts) {
            backward.gradient.parts[backward.gradient.count++] = at(part);
        }
        backward.dx = at(dx);
        backward.weight_gradient = state_.parameters[weight].gradient;
        backward.bias_gradient = state_.parameters[bias].gradient;
        return backward;
    };
    const auto bind_vectors = [=, this](const StepPlan::Pointer& at) {
        return vectors_at(static_cast<float*>(at(kept.vectors)), channels, norm, state_.parameters[weight],
                          state_.parameters[bias], nullptr, nullptr);
    };
    std::vector<BufferId> reads = parts;
    reads.insert(reads.end(), {x, kept.vectors, masters_[weight], masters_[bias]});
    if (relu && has_residual) {
        reads.push_back(y);
    }
    if (const auto tiling = whole_norm(shape); tiling && parts.size() <= kMostClusterParts) {
        std::vector<BufferId> writes{dx, gradients_[weight], gradients_[bias]};
        if (has_residual) {
            writes.push_back(masked);
        }
        plan_.add({node.name + " gradient", reads, writes,
                   [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                       BatchNormBackward backward = bind_parts(at);
                       backward.masked = has_residual ? at(masked) : nullptr;
                       return [=, tiling = *tiling, vectors = bind_vectors(at)](cudaStream_t stream) {
                           cluster_norm_backward(shape, tiling, backward, vectors, stream);
                       };
                   },
                   Lane::main, op.finished});
        return;
    }
    const BufferId coefficients = plan_.buffer(3 * channels * sizeof(float));
    const BufferId partials = plan_.scratch(batch_norm_partials(shape) * sizeof(float));
    const BufferId counters = plan_.zeroed(batch_norm_counters(shape) * sizeof(unsigned));
    const bool synchronised = static_cast<bool>(state_.enqueue_sum);
    const BufferId sums = synchronised ? plan_.buffer(batch_norm_sums(shape) * sizeof(double)) : coefficients;
    const auto bind = [=](const StepPlan::Pointer& at) {
        BatchNormBackward backward = bind_parts(at);
        backward.masked = needs_masked ? at(masked) : nullptr;
        backward.coefficients = static_cast<float*>(at(coefficients));
        return backward;
    };
    std::vector<BufferId> writes{coefficients, partials, counters, gradients_[weight], gradients_[bias]};
    if (needs_masked) {
        writes.push_back(masked);
    }
    if (synchronised) {
        reads.push_back(kept.sums);
        writes.push_back(sums);
    }
    plan_.add({node.name + " sums of gradients",
               reads,
               writes,
               [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const BatchNormScratch scratch{static_cast<float*>(at(partials)),
                                                  static_cast<unsigned*>(at(counters))};
                   return [=, &state = state_, backward = bind(at), vectors = bind_vectors(at),
                           of_all = static_cast<double*>(at(sums)),
                           count = static_cast<const double*>(at(kept.sums)) +
                                   2 * channels](cudaStream_t stream) {
                       if (!synchronised) {
                           batch_norm_backward_sums(shape, backward, vectors, scratch, stream);
                           return;
                       }
                       batch_norm_backward_local_sums(shape, backward, vectors, of_all, scratch, stream);
                       state.enqueue_sum({of_all, 2 * channels}, stream);
                       batch_norm_backward_finish(shape, backward, vectors, of_all, count, stream);
                   };
               },
               Lane::main,
               op.finished,
               synchronised ? std::size_t{3} : 1,
               {},
               synchronised});
    std::vector<BufferId> again = needs_masked ? std::vector<BufferId>{masked} : parts;
    // The mask is recomputed with the bias, which must not be updated before.
    again.insert(again.end(), {x, kept.vectors, coefficients, masters_[bias]});
    plan_.add({node.name + " gradient", again, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, backward = bind(at), vectors = bind_vectors(at)](cudaStream_t stream) {
                       batch_norm_backward_apply(shape, backward, vectors, stream);
                   };
               }});
}

}  // namespace rankscope::engine::cuda
