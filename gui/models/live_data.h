// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/log_store.h>
#include <gui/models/metric_series.h>
#include <remote/run/run_state.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// All that Live shows of a run, folded from its events: the same for live and stored runs. A plain value, so
/// that a stored run is folded on a worker thread and handed over whole.
class LiveData {
public:
    RunState state;
    std::vector<MetricSeries> series;  ///< by rank
    LogStore log;
    std::vector<DiagnosisEvent> diagnoses;
    std::uint64_t events = 0;
    std::uint64_t went_back =
        0;  ///< times a rank reported an earlier step again; what is derived is stale then

    void set_plan(const LaunchPlan& plan);
    /// An event that was applied before (same node and number) is ignored: a stored run that is taken up
    /// again may bring some twice. False then.
    bool apply(const Event& event);

    double last_step() const;   ///< of the fastest rank; 0: none
    double first_step() const;  ///< smallest first one; 0: none

private:
    void add_metric(const Event& event, const MetricEvent& metric);
    void log_stage(const Event& event, const StageEvent& stage);

    std::map<std::string, std::uint64_t> last_seq_;
};

}  // namespace rankscope::gui
