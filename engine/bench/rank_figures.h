// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/bench/step_figures.h>
#include <engine/comm/process_group.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// The times of steps of one kind, in milliseconds.
class StepSeries {
public:
    /// Runs `step` (which returns its StepTimes) once.
    template <typename Step>
    void time(const Step& step) {
        const auto cpu = process_cpu_time();
        const auto begin = std::chrono::steady_clock::now();
        const StepTimes times = step();
        add(std::chrono::steady_clock::now() - begin, process_cpu_time() - cpu, times);
    }
    bool empty() const { return wall_.empty(); }

private:
    friend struct RankFigures;
    using Milliseconds = std::chrono::duration<double, std::milli>;

    void add(Milliseconds wall, Milliseconds cpu, const StepTimes& times);

    std::vector<double> wall_, cpu_, data_, forward_, backward_, comm_, optimizer_;
};

/// One rank's figures as they travel to rank 0; milliseconds are medians over the timed steps.
struct RankFigures {
    RankFigures() = default;
    /// `alone`: steps without communication; may be empty. `first_step`: when its end was, in seconds since
    /// 1970.
    RankFigures(const StepSeries& steps, const StepSeries& alone, double first_step);

    double step_ms = 0;
    double p99_ms = 0;
    double cpu_ms = 0;  ///< all threads of the process
    double cpu_ms_mean = 0;
    double data_ms = 0;
    double forward_ms = 0;
    double backward_ms = 0;
    double comm_ms = 0;  ///< waiting for other ranks after the own backward pass
    double optimizer_ms = 0;
    double peak_rss_mb = 0;
    double first_step_at = 0;
    double no_sync_step_ms = 0;
    double no_sync_cpu_ms = 0;
};

/// By rank. Collective; a null group is a world of one.
std::vector<RankFigures> gather_figures(const RankFigures& mine, ProcessGroup* group);

/// What all ranks did together with `samples` in each step: images_per_s … ranks, the keys of the line that bench prints.
nlohmann::ordered_json summary(const std::vector<RankFigures>& ranks, double samples);

}  // namespace rankscope::engine
