// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/pipeline_schedule.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>
#include <engine/graph/stages.h>
#include <engine/graph/tensor_slices.h>
#include <engine/models/model_registry.h>
#include <engine/models/training_cost.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

constexpr double kFloat = 4;
constexpr std::int64_t kUsualClasses = 1000;
constexpr int kMostSlices = 64;
// Free memory between buffers, and scratch memory: without it the estimate is 0.75 to 1.09 of the engine's plan.
constexpr double kGaps = 1.1;
constexpr std::uint64_t kLibraries = std::uint64_t{600} << 20;

std::uint64_t bytes(double count) {
    return static_cast<std::uint64_t>(count);
}

/// Weights and gradients in fp32, 16-bit copies of both, and what the optimizer keeps.
void add_parameters(const config::TrainConfig& config, const Graph& graph, double ranks,
                    MemoryEstimate& memory) {
    const bool half = config.precision == "bf16" || config.precision == "fp16";
    const bool adam = config.optimizer.name != "sgd";
    const double kept = adam ? 2 : config.optimizer.momentum > 0 ? 1 : 0;
    const auto count = static_cast<double>(parameter_count(graph));
    const double each = kFloat + (half ? kFloat / 2 : 0);
    memory.weights = bytes(count * each);
    memory.gradients = bytes(count * each);
    memory.optimizer = bytes(count * kFloat * kept / (config.parallel.zero > 0 ? ranks : 1));
    if (config.parallel.zero >= 2) {
        std::int64_t largest = 0;
        for (const Parameter& parameter : graph.parameters) {
            largest = std::max(largest, element_count(parameter.shape));
        }
        const double bucket = std::max(
            static_cast<double>(
                bucket_limits(config.ddp).value_or(default_bucket_limits(bytes(count * kFloat))).others),
            static_cast<double>(largest) * kFloat);
        memory.gradients = bytes(count * kFloat / ranks + std::min(2 * bucket, count * kFloat));
        if (config.parallel.zero == 3) {
            memory.weights = bytes(count * kFloat / ranks + std::min(2 * bucket, count * kFloat));
        }
    }
}

/// Throws Error where the samples do not fit it.
Graph network_of(const config::TrainConfig& config) {
    const config::SampleKind sample = config::sample_kind(config.dataset);
    return build_model(config.model, sample.shape,
                       config.classes.value_or(sample.classes.value_or(kUsualClasses)),
                       {config.dropout, config.drop_path});
}

/// Bytes of an update that a rank gives to those that have the same parameters.
double exchanged(const config::TrainConfig& config, std::int64_t parameters, double ranks) {
    const double element = config.ddp.compression == "none" ? kFloat : kFloat / 2;
    // ZeRO-2 keeps no gradients of its own to add up first.
    const auto batches = static_cast<double>(config.accumulate_steps);
    const double reductions = config.parallel.zero >= 2 ? batches : 1;
    const double gatherings = config.parallel.zero == 3 ? 2 * batches : 1;  // for each pass
    return (gatherings + reductions) * (ranks - 1) / ranks * element * static_cast<double>(parameters);
}

double activations(const config::TrainConfig& config, const Graph& graph, double samples) {
    const bool half = config.precision == "bf16" || config.precision == "fp16";
    return kGaps * samples *
           activation_bytes(graph, half ? kFloat / 2 : kFloat, config.parallel.recompute == "blocks");
}

/// Bytes of an update that a rank gives to those that have other slices of its layers.
double summed(const config::TrainConfig& config, const Graph& slice) {
    const auto slices = static_cast<double>(config.parallel.tensor);
    const Graph graph = fuse(slice);
    const SlicedSums sums =
        sums_of_slices(graph, config.parallel.recompute == "blocks" ? differentiate_with_recomputation(graph)
                                                                    : differentiate(graph));
    const double element = config.precision == "bf16" ? kFloat / 2 : kFloat;
    return 2 * (slices - 1) / slices * element * static_cast<double>(sums.forward + sums.backward) *
           static_cast<double>(config.batch_size * config.accumulate_steps);
}

/// Throws ConfigError where the network has not so many stages.
void add_pipeline(const config::TrainConfig& config, const Graph& graph, int ranks, TrainingCost& cost) {
    const auto stages = static_cast<int>(config.parallel.pipeline.stages);
    const std::int64_t micro_batches =
        config.parallel.pipeline.micro_batches.value_or(default_micro_batches(stages, config.batch_size));
    const std::int64_t size = micro_batch_sizes(config.batch_size, micro_batches).front();
    const PipelineOrder order = config.parallel.pipeline.schedule == "gpipe"
                                    ? PipelineOrder::gpipe
                                    : PipelineOrder::one_forward_one_backward;
    PipelineCost pipeline{
        .micro_batches = micro_batches, .bubble = pipeline_bubble(stages, micro_batches), .stages = {}};
    const double of_batch = static_cast<double>(config.batch_size * config.accumulate_steps) *
                            kFloat;  // for a number of a sample
    const int pipelines = ranks / stages;
    double from_before = 0;
    for (const PipelineStage& stage : pipeline_stages(graph, stages, size)) {
        StageCost made{.layers = stage.layers(), .share = stage.share, .memory = {}};
        add_parameters(config, stage.graph, pipelines, made.memory);
        const std::int64_t kept =
            kept_micro_batches(order, static_cast<int>(pipeline.stages.size()), stages, micro_batches);
        made.memory.activations = bytes(activations(config, stage.graph, static_cast<double>(kept * size)));
        const double to_next = of_batch * static_cast<double>(handed_over(stage.graph));
        const double sums = summed(config, stage.graph);
        made.sent =
            bytes(exchanged(config, parameter_count(stage.graph), pipelines) + to_next + from_before + sums);
        if (cost.slice) {
            cost.slice->sums = std::max(cost.slice->sums, bytes(sums));
        }
        from_before = to_next;
        if (pipeline.stages.empty() || made.memory.total() > cost.memory.total()) {
            cost.memory = made.memory;
        }
        cost.sent = std::max(pipeline.stages.empty() ? 0 : cost.sent, made.sent);
        pipeline.stages.push_back(std::move(made));
    }
    cost.pipeline = std::move(pipeline);
}

}  // namespace

std::optional<BucketLimits> bucket_limits(const config::DdpConfig& config) {
    const auto of = [](double mebibytes) {
        constexpr double kMiB = 1048576.0;
        return static_cast<std::size_t>(mebibytes * kMiB);
    };
    if (!config.bucket_mb && !config.first_bucket_mb) {
        return std::nullopt;
    }
    // As in PyTorch: one size is meant for all buckets, unless the first has its own.
    const std::size_t others = config.bucket_mb ? of(*config.bucket_mb) : BucketLimits().others;
    return BucketLimits{config.first_bucket_mb ? of(*config.first_bucket_mb) : others, others};
}

std::optional<DivisionLimits> division_limits(const config::TrainConfig& config, int ranks) {
    try {
        const Graph graph = network_of(config);
        const auto users = user_counts(graph);
        return DivisionLimits{.most_stages = most_pipeline_stages(graph),
                              .shares_weight = std::any_of(users.begin(), users.end(),
                                                           [](std::size_t count) { return count > 1; }),
                              .slices = fitting_tensor_slices(graph, std::min(ranks, kMostSlices))};
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<TrainingCost> training_cost(const config::TrainConfig& config, int ranks) {
    try {
        const Graph graph = network_of(config);
        const Flops flops = flops_of(graph);
        TrainingCost cost{.model = config.model,
                          .batch_size = config.batch_size,
                          .tokens = graph.predicts_tokens() ? graph.rows : 0,
                          .parameters = parameter_count(graph),
                          .forward_flops = flops.forward,
                          .training_flops = flops.training,
                          .published_accuracy = config.dataset.name == "image-folder"
                                                    ? published_accuracy(config.model)
                                                    : std::nullopt,
                          .memory = {}};
        const auto slices = static_cast<int>(config.parallel.tensor);
        if (ranks % (config.parallel.pipeline.stages * slices) != 0) {
            return std::nullopt;
        }
        // The first slice, which has a few vectors more than the others.
        const Graph part = slices > 1 ? tensor_slice(graph, slices, 0).graph : graph;
        if (slices > 1) {
            cost.slice = SliceCost{.slices = slices, .parameters = parameter_count(part)};
        }
        if (config.parallel.pipeline.stages > 1) {
            add_pipeline(config, part, ranks / slices, cost);
        } else {
            cost.memory.activations =
                bytes(activations(config, part, static_cast<double>(config.batch_size)));
            add_parameters(config, part, ranks / slices, cost.memory);
            const double sums = summed(config, part);
            cost.sent = bytes(exchanged(config, parameter_count(part), ranks / slices) + sums);
            if (cost.slice) {
                cost.slice->sums = bytes(sums);
            }
        }
        cost.memory.libraries = kLibraries;
        return cost;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace rankscope::engine
