// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_series.h>
#include <remote/desk/runs/run/metric_names.h>
#include <remote/wire/event.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::gui {

/// Where reported steps stand on the axis of a run. Steps that a program counts from the start again in each epoch
/// stand behind those of the epoch before; all others stand where they are.
class StepPlaces {
public:
    /// The place of a metric with a step. `series`: what its rank has reported before, in places.
    std::int64_t place(std::size_t rank, const MetricEvent& metric, const MetricSeries& series,
                       const MetricNames& names, std::int64_t steps_per_epoch);
    /// The rank was started again: its next step belongs to any epoch.
    void restart(std::size_t rank);

    /// Epochs that began their steps again.
    std::size_t epochs_again() const { return behind_.size(); }
    /// The first of them, and its first step.
    double first_epoch_again() const { return behind_.empty() ? -1 : double(behind_.begin()->first); }
    std::int64_t first_step_again() const { return first_step_again_; }

private:
    struct Rank {
        std::int64_t behind = 0;     ///< added to its steps now
        std::vector<double> epochs;  ///< of the last report of each metric, by MetricId; -1: not known
        bool fresh = true;           ///< no step since its start
    };
    bool begins_again(const Rank& of_rank, const MetricEvent& metric, const MetricSeries& series,
                      const MetricNames& names) const;
    std::int64_t behind_of(double epoch) const;
    std::int64_t new_place(std::int64_t epoch, std::int64_t steps_per_epoch) const;

    std::vector<Rank> ranks_;
    std::map<std::int64_t, std::int64_t> behind_;  ///< by epoch: what is added to its steps
    std::int64_t furthest_ = 0;                    ///< place
    std::int64_t first_epoch_ = -1;
    std::int64_t first_step_again_ = 0;
};

}  // namespace rankscope::gui
