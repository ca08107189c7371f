// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_verdicts.h>
#include <gui/data/log_store.h>
#include <gui/data/metric_series.h>
#include <gui/data/run_events.h>
#include <gui/data/run_marks.h>
#include <gui/data/sample_history.h>
#include <gui/data/start_times.h>
#include <gui/data/step_places.h>
#include <gui/data/step_track.h>
#include <remote/desk/runs/run/run_state.h>

#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::inline runs {
class LogDiagnosis;
}

namespace rankscope::gui {

/// What a node noticed in its run: a rank that was stopped from outside, a full disk, a missing link.
struct NodeNotice {
    std::int64_t t_us = 0;
    FailureId id;
    std::string node;
    int rank = -1;  ///< -1: not one rank's
    std::string title;
    std::vector<std::string> fix;

    bool operator==(const NodeNotice&) const = default;
};

/// All that Live shows of a run, folded from its events: the same for live and stored runs. A plain value, so
/// that a stored run is folded on a worker thread and handed over whole. MetricIds are those of state.metrics.
class LiveData {
public:
    RunState state;
    std::vector<MetricSeries> series;  ///< by rank
    LogStore log;
    std::vector<DiagnosisEvent> diagnoses;  ///< the desk's own, of why the run failed
    LiveVerdicts verdicts;                  ///< the desk's own, while it runs
    StartTimes start_times;
    RunMarks marks;                   ///< moments that belong on the curves
    RunEvents happenings;             ///< what a list of events shows
    StepTrack step_times;             ///< when the run reached a step, s since 1970
    std::vector<StepDelays> delays;   ///< by rank: after step_times
    StepTrack step_samples;           ///< how many samples it had seen by then
    std::vector<NodeNotice> notices;  ///< oldest first; the log keeps those that are dropped here
    std::uint64_t notices_seen = 0;   ///< with the dropped ones
    std::map<std::string, SampleHistory> sample_history;  ///< by node
    std::string job_yaml;                                 ///< what "Run again" starts from; empty: not known
    std::uint64_t events = 0;
    std::uint64_t left_out_bytes = 0;   ///< of the ranks' output: more than the desk keeps
    std::uint64_t left_out_places = 0;  ///< lines of the log that say so
    std::uint64_t rewinds =
        0;  ///< times a rank reported an earlier step again; derived values are stale then
    /// Of a stored run that was opened with its NCCL pane visible: the lines, read from the same events. Null: not read.
    std::shared_ptr<LogDiagnosis> reading;
    StepPlaces step_places;          ///< of programs that count their steps from the start again
    std::uint64_t replacements = 0;  ///< rewinds without a restart: later values have replaced earlier ones
    std::int64_t replaced_from = 0;  ///< the first of them: its step

    void set_plan(const LaunchPlan& plan);
    /// An event that was applied before (same node and number) is ignored: attaching to a stored run may
    /// bring some twice. False then.
    bool apply(const Event& event);

    /// Whether a verdict reports the same: the card shows it, and the log keeps both.
    bool is_in_a_verdict(const NodeNotice& notice) const;

    double last_step() const;   ///< of the fastest rank; 0: none
    double first_step() const;  ///< smallest first one; 0: none
    /// Null: the run has no such rank, or it has reported no step.
    const StepDelays* delays_of(int rank) const;

private:
    void add_metric(const Event& event, const MetricEvent& metric);
    void note_step(const Event& event, const MetricEvent& metric, std::int64_t step, bool back);
    void note_replacement(const Event& event, const MetricEvent& metric, std::int64_t step);
    std::int64_t step_of(const MetricEvent& metric, const MetricSeries& of_rank, MetricId id) const;
    void add_verdict(const Event& event, const Verdict& verdict);
    void add_notice(const Event& event, const NoticeEvent& notice);
    void log_stage(const Event& event, const StageEvent& stage);
    void log_link(const Event& event, const LinkEvent& link);
    void log_event(const Event& event, const QString& text);
    void log_left_out(const Event& event, std::uint64_t bytes);
    void restart_ranks_of(const std::string& node);

    std::map<std::string, std::uint64_t> last_seq_;
    std::int64_t furthest_ = 0;     ///< step that any rank has reported
    std::uint64_t event_line_ = 0;  ///< first line in the log of the event in hand; 0: none
};

}  // namespace rankscope::gui
