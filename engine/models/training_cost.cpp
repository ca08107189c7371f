// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/model_registry.h>
#include <engine/models/training_cost.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

constexpr double kFloat = 4;
constexpr std::int64_t kUsualClasses = 1000;
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
    }
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

std::optional<TrainingCost> training_cost(const config::TrainConfig& config, int ranks) {
    const config::SampleKind sample = config::sample_kind(config.dataset);
    try {
        const Graph graph = build_model(config.model, sample.shape,
                                        config.classes.value_or(sample.classes.value_or(kUsualClasses)),
                                        {config.dropout, config.drop_path});
        const bool half = config.precision == "bf16" || config.precision == "fp16";
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
        cost.memory.activations =
            bytes(kGaps *
                  activation_bytes(graph, half ? kFloat / 2 : kFloat, config.parallel.recompute == "blocks") *
                  static_cast<double>(config.batch_size));
        add_parameters(config, graph, ranks, cost.memory);
        cost.memory.libraries = kLibraries;
        const double element = config.ddp.compression == "none" ? kFloat : kFloat / 2;
        // ZeRO-2 keeps no gradients of its own to add up first.
        const double reductions =
            config.parallel.zero >= 2 ? static_cast<double>(config.accumulate_steps) : 1;
        cost.sent =
            bytes((1 + reductions) * (ranks - 1) / ranks * element * static_cast<double>(cost.parameters));
        return cost;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace rankscope::engine
