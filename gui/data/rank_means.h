// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/data_gate.h>
#include <gui/data/metric_series.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::gui {

/// Means of some metrics of all ranks over the steps [first, last].
struct RankMeansRequest {
    std::shared_ptr<DataGate> gate;
    std::uint64_t generation = 0;                       ///< of the gate, when it was asked
    const std::vector<MetricSeries>* series = nullptr;  ///< valid while the gate has that generation
    std::vector<MetricId> metrics;
    double first = 0;
    double last = 0;
};

struct RankMeans {
    std::vector<MetricId> metrics;
    std::vector<std::vector<double>> of;  ///< by metric, by rank; NaN: no finite value in these steps
};

/// For a worker. Nothing: the data is gone.
std::optional<RankMeans> rank_means(const RankMeansRequest& request);

}  // namespace rankscope::gui
