// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/log_store.h>
#include <gui/data/metric_series.h>
#include <gui/data/sample_history.h>
#include <remote/desk/run/run_state.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What a node noticed in its run: a rank that somebody stopped, a full disk, a link that is not there.
struct NodeNotice {
    std::int64_t t_us = 0;
    std::string node;
    int rank = -1;  ///< -1: not one rank's
    std::string title;
    std::vector<std::string> fix;
};

/// All that Live shows of a run, folded from its events: the same for live and stored runs. A plain value, so
/// that a stored run is folded on a worker thread and handed over whole.
class LiveData {
public:
    RunState state;
    std::vector<MetricSeries> series;  ///< by rank
    LogStore log;
    std::vector<DiagnosisEvent> diagnoses;  ///< the desk's own, of why the run failed
    std::vector<NodeNotice> notices;        ///< oldest first; the log keeps those that are dropped here
    std::uint64_t notices_seen = 0;         ///< with the dropped ones
    std::map<std::string, SampleHistory> sample_history;  ///< by node
    std::string job_yaml;                                 ///< what "Run again" starts from; empty: not known
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
    void add_diagnosis(const Event& event, const DiagnosisEvent& diagnosis);
    void log_stage(const Event& event, const StageEvent& stage);

    std::map<std::string, std::uint64_t> last_seq_;
};

}  // namespace rankscope::gui
