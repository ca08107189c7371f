// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/model_registry.h>
#include <engine/models/training_cost.h>

namespace rankscope::engine {
namespace {

constexpr double kFloat = 4;
constexpr std::int64_t kUsualClasses = 1000;
// Free memory between buffers, and scratch memory: without it the estimate is 0.75 to 1.09 of the engine's plan.
constexpr double kGaps = 1.1;
constexpr std::uint64_t kLibraries = std::uint64_t{600} << 20;

/// Of one parameter: the weight and its gradient in fp32, 16-bit copies of both, and what the optimizer keeps.
double parameter_bytes(const config::TrainConfig& config, bool half) {
    const bool adam = config.optimizer.name != "sgd";
    const double kept = adam ? 2 : config.optimizer.momentum > 0 ? 1 : 0;
    return kFloat * (2 + kept) + (half ? kFloat : 0);
}

}  // namespace

std::optional<TrainingCost> training_cost(const config::TrainConfig& config) {
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
            static_cast<std::uint64_t>(kGaps * activation_bytes(graph, half ? kFloat / 2 : kFloat) *
                                       static_cast<double>(config.batch_size));
        cost.memory.parameters =
            static_cast<std::uint64_t>(static_cast<double>(cost.parameters) * parameter_bytes(config, half));
        cost.memory.libraries = kLibraries;
        return cost;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace rankscope::engine
