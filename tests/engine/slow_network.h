// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// The slow, obvious twin of the backends: a graph computed in double, by loops.
namespace rankscope::engine::test {

using Doubles = std::vector<double>;

struct SlowResult {
    double loss = 0.0;  ///< mean over the batch
    std::int64_t correct = 0;
    std::int64_t correct_topk = 0;
    Doubles logits;                                 ///< [batch · rows, classes]
    IndexedVector<ParameterId, Doubles> gradients;  ///< of the mean loss
};

struct SlowOptions {
    double label_smoothing = 0.0;
    std::int64_t topk = 1;
    Doubles targets{};  ///< of a mean squared error, [batch, outputs]
    const IndexedVector<StatisticId, Doubles>* running = nullptr;  ///< batch norms in evaluation
};

/// Executable::sample_keys() of the twin.
constexpr std::uint64_t slow_key(std::size_t sample) {
    return 0x9E3779B97F4A7C15ULL * (sample + 1);
}
inline void set_slow_keys(std::span<std::uint64_t> keys) {
    for (std::size_t sample = 0; sample < keys.size(); ++sample) {
        keys[sample] = slow_key(sample);
    }
}

/// `input` is [batch, shape…]; parameters are in canonical layout. Gradients hold for training only.
SlowResult run_slowly(const Graph& graph, const IndexedVector<ParameterId, Doubles>& parameters,
                      const Doubles& input, const std::vector<std::int32_t>& labels,
                      const SlowOptions& options = {});

}  // namespace rankscope::engine::test
