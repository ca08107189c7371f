// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/store/run_store.h>

#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// What an epoch of a stored run took, with its validation and without the run's start.
struct EpochTime {
    double seconds = 0;
    std::int64_t epochs = 0;  ///< whole ones that were measured; 0: projected from a part of the first
    std::int64_t steps_per_epoch = 0;  ///< 0: not reported
    std::int64_t started_us = 0;       ///< of that run
    int ranks = 0;
    std::string device;  ///< "cpu", "cuda"; empty: not known
    std::string precision;
};

/// Measures the events of one rank, in their order.
class EpochClock {
public:
    void add(const Event& event);
    /// Enough epochs are known: the rest of the run changes nothing.
    bool settled() const { return settled_; }
    /// Seconds of an epoch: the median of whole ones after the first, else the first, else a projection. `ended`: the
    /// last epoch is whole. Nothing: too few steps.
    std::optional<EpochTime> time(bool ended) const;

private:
    struct Epoch {
        std::int64_t first_step = 0, last_step = 0;
        std::int64_t first_us = 0, last_step_us = 0, last_us = 0;
    };
    static double first_seconds(const Epoch& epoch, std::int64_t steps);

    int rank_ = -1;  ///< the first that reports a step
    std::int64_t steps_per_epoch_ = 0;
    std::map<std::int64_t, Epoch> epochs_;
    bool settled_ = false;
};

/// What was measured of runs that are over, so that a change in the form does not read them again. Any thread.
class EpochTimeCache {
public:
    /// Nothing: not measured yet; {nothing}: measured, and there is no time.
    std::optional<std::optional<EpochTime>> find(const std::string& run_id) const;
    void keep(const std::string& run_id, const std::optional<EpochTime>& time);

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::optional<EpochTime>> times_;
};

/// Of the run that is nearest to the job: same model, data set and batch per rank; then device, number of ranks,
/// precision, age. Reads the store: not for the window's thread.
std::optional<EpochTime> nearest_epoch_time(const RunStore& store, const Job& job, const LaunchPlan& plan,
                                            EpochTimeCache& cache, const std::stop_token& stop = {});

/// "About 12 s an epoch, 2 min for this job (from the run of 14:02 on 4 ranks). That run used bf16."
QString epoch_time_text(const EpochTime& time, const Job& job, const LaunchPlan& plan);

}  // namespace rankscope::gui
