// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/bench/plan_line.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/cuda_plugin.h>
#include <engine/train/model_setup.h>
#include <engine/train/version.h>

#include <cmath>
#include <cstddef>

namespace rankscope::engine {
namespace {

double megabytes(std::size_t bytes) {
    constexpr double kMegabyte = 1e6;
    return std::round(static_cast<double>(bytes) / kMegabyte * 10.0) / 10.0;
}

}  // namespace

nlohmann::ordered_json plan_line(const BenchOptions& options, int world_size) {
    const CudaPlugin& plugin = cuda_plugin();
    if (plugin.functions == nullptr) {
        throw ConfigError("--plan: " + plugin.why);
    }
    const Graph graph = build_model(options.model, options.sample, options.classes);
    config::TrainConfig config;
    config.precision = options.precision;
    const CompileOptions compiled = compile_options(config, nullptr);
    const cuda::StepFigures figures =
        plugin.functions->planned_step(graph, {.batch = options.batch,
                                               .precision = compiled.precision,
                                               .deterministic = options.deterministic,
                                               .optimizer = bench_optimizer(options.model),
                                               .averaged = world_size > 1});
    nlohmann::ordered_json lanes;
    std::size_t kernels = 0;
    std::size_t bytes = 0;
    for (std::size_t lane = 0; lane < cuda::kLanes; ++lane) {
        const cuda::StepFigures::OfLane& of = figures.lanes[lane];
        lanes[cuda::kLaneNames[lane]] = {{"kernels", of.kernels}, {"mb", megabytes(of.bytes)}};
        kernels += of.kernels;
        bytes += of.bytes;
    }
    return {{"plan", options.model},
            {"program", "rankscope " + worker_version()},
            {"gpu", "NVIDIA H200"},
            {"precision", options.precision},
            {"batch", options.batch},
            {"world_size", world_size},
            {"kernels", kernels},
            {"mb", megabytes(bytes)},
            {"lanes", lanes},
            {"waits", figures.waits},
            {"activation_mb", megabytes(figures.arena_bytes)},
            {"versions", {{"compute", plugin.functions->versions()}}}};
}

}  // namespace rankscope::engine
