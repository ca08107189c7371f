// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/memory_metrics.h>
#include <base/text.h>
#include <remote/desk/runs/run/rank_memory.h>
#include <remote/desk/shared/text.h>

#include <cmath>
#include <cstdint>
#include <optional>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RankMemory";

/// Of the rank's stage; null: nothing was planned.
const engine::MemoryEstimate* planned_memory(const LaunchPlan& plan, int rank, const RunMesh& mesh) {
    if (!plan.cost) {
        return nullptr;
    }
    if (!plan.cost->pipeline) {
        return &plan.cost->memory;
    }
    const auto stages = stages_of(mesh);
    const auto stage = stages.find(rank);
    return stage != stages.end() &&
                   static_cast<std::size_t>(stage->second) < plan.cost->pipeline->stages.size()
               ? &plan.cost->pipeline->stages[static_cast<std::size_t>(stage->second)].memory
               : nullptr;
}

}  // namespace

std::string rank_memory_text(const RunState& run, const RankState& rank, const RunMesh& mesh) {
    const engine::MemoryEstimate* const planned = planned_memory(run.plan, rank.rank, mesh);
    bool reported = false;
    const auto size = [&](const char* metric, std::uint64_t engine::MemoryEstimate::*kind) {
        constexpr double kMiB = 1048576.0;
        const auto id = run.metrics.find(metric);
        const auto value = id ? rank.last_of(*id) : std::nullopt;
        const bool known = value && std::isfinite(*value) && *value >= 0;
        reported = reported || known;
        const std::string measured =
            known ? size_text(static_cast<std::uint64_t>(std::llround(*value * kMiB))) : "–";
        return planned != nullptr ? text(kContext, "%1 (planned %2)", {measured, size_text(planned->*kind)})
                                  : measured;
    };
    const std::string all = text(kContext, "memory: weights %1, gradients %2, optimizer %3, activations %4",
                                 {size(kWeightsMemory, &engine::MemoryEstimate::weights),
                                  size(kGradientsMemory, &engine::MemoryEstimate::gradients),
                                  size(kOptimizerMemory, &engine::MemoryEstimate::optimizer),
                                  size(kActivationsMemory, &engine::MemoryEstimate::activations)});
    return reported ? all : "";
}

}  // namespace rankscope::inline runs
