// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/backend/cpu/available_memory.h>
#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/initialise.h>
#include <engine/train/precision_pays.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace rankscope::engine {
namespace {

/// Of a model that starts as a run does: numbers that are not finite, or too small, would take other times.
double fastest_pass(Backend& backend, const Graph& graph, std::int64_t batch, Precision precision) {
    constexpr int kPasses = 5;
    constexpr double kEnough = 2000;  // ms: of a large network one pass says it
    const auto model = backend.compile(graph, {.batch_size = batch, .precision = precision, .topk = 1});
    const CanonicalParameters start = default_initialisation(graph, 1);
    for (const ParameterId id : start.indices()) {
        model->set_weight(id, start[id]);
    }
    Executable& executable = model->executable(batch);
    std::uint32_t state = 1;
    if (!graph.predicts_tokens()) {  // else token 0
        for (float& value : executable.input()) {
            state = state * 1664525U + 1013904223U;
            value = static_cast<float>(state >> 8U) / static_cast<float>(1U << 24U);
        }
    }
    double fastest = 0;
    double total = 0;
    for (int i = 0; i < kPasses && total < kEnough; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        executable.forward();
        executable.backward([](ParameterId) {});
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        fastest = i == 0 ? ms : std::min(fastest, ms);
        total += ms;
    }
    return fastest;
}

bool fits(const Graph& graph, std::int64_t batch, int ranks) {
    const double needed = activation_bytes(graph, sizeof(float)) * static_cast<double>(batch) +
                          2.0 * sizeof(float) * static_cast<double>(parameter_count(graph));
    const auto available = cpu::available_memory();
    return available && needed < static_cast<double>(*available) / (2.0 * ranks);
}

}  // namespace

std::optional<PrecisionTimes> measured_precisions(Backend& backend, const Graph& graph, std::int64_t batch,
                                                  int ranks) {
    if (!fits(graph, batch, ranks)) {
        return std::nullopt;
    }
    try {
        return PrecisionTimes{.half = fastest_pass(backend, graph, batch, Precision::bf16),
                              .full = fastest_pass(backend, graph, batch, Precision::fp32)};
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::string precision_advice(const PrecisionTimes& times) {
    return times.half < times.full ? std::string()
                                   : "bf16 is not faster on this CPU: a forward and backward pass takes " +
                                         short_number_text(times.half, 3) + " ms, in fp32 " +
                                         short_number_text(times.full, 3) + " ms. Set precision to fp32";
}

std::string advice_on_bf16(Backend& backend, const Graph& graph, std::int64_t batch, int ranks) {
    const auto times = measured_precisions(backend, graph, batch, ranks);
    return times ? precision_advice(*times) : std::string();
}

}  // namespace rankscope::engine
