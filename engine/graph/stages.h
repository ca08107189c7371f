// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A part of a network that a pipeline computes on a rank of its own (Huang et al., "GPipe: Efficient Training of Giant
/// Neural Networks using Pipeline Parallelism", 2019). Its input is what the stage before handed over.
struct PipelineStage {
    Graph graph;
    IndexedVector<ParameterId, ParameterId> parameters;  ///< of the graph, by the ids of the whole network
    IndexedVector<StatisticId, StatisticId> statistics;  ///< the same
    double share = 0;                                    ///< of the network's work, 0 to 1

    /// "conv1 to layer2.1.bn2": the first and the last of its layers.
    std::string layers() const;
};

/// Cuts the network where a single value leads on, so that the stage with the most work has as little as can be. The work
/// of a micro-batch of so many samples is counted: multiply-adds, and passes over activations and parameters. Parameters that several stages have (a tied weight) are `shared`.
/// Throws ConfigError when there are not enough places to cut it.
std::vector<PipelineStage> pipeline_stages(const Graph& network, int stages, std::int64_t samples);

/// The most stages that pipeline_stages() makes.
int most_pipeline_stages(const Graph& network);

/// Numbers that a stage hands over for each sample: of its graph's last value.
std::int64_t handed_over(const Graph& stage);

}  // namespace rankscope::engine
