// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/data_gate.h>
#include <gui/data/metric_series.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::gui {

/// What one panel draws: a metric as the ranks report it, or a formula's values. Points into data that others keep
/// and that workers read through the gate.
struct PanelValues {
    const std::vector<MetricSeries>* ranks = nullptr;
    MetricId metric;
    const std::uint64_t* revision = nullptr;  ///< changes with the values
    std::shared_ptr<DataGate> gate;
    bool single = false;  ///< one value a step, not one a rank: it is in the place of rank 0

    const MetricColumn& column(int rank) const {
        static const MetricColumn none;
        return rank >= 0 && std::size_t(rank) < ranks->size() ? (*ranks)[std::size_t(rank)].column(metric)
                                                              : none;
    }
};

}  // namespace rankscope::gui
