// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace rankscope::inline runs {

/// Says when a run has made no progress for so long that its ranks should be looked at, from its events. Learns the
/// usual time between two signs of progress: steps, or lines of output where there are none. Pure: times are passed in
/// (`now`: seconds of monotonic_s()).
class HangRule {
public:
    /// Of the job; 0: learnt.
    void set_hang_after(double seconds) { hang_after_s_ = seconds; }
    void observe(const Event& event, double now);
    /// An event of the store: teaches, and is no sign of life now.
    void recall(const Event& event) { learn(event); }

    /// Silence counts from now on, where there was no sign of life yet.
    void start_clock(double now);

    /// Whether the ranks run and are not paused.
    bool active() const;
    /// Seconds without a sign of progress; 0: not active. Where there are steps, output is none.
    double silent_s(double now) const;
    /// The silence after which the ranks are looked at, and after which they may be said to hang.
    double look_after_s() const;
    /// The longest usual time between two signs; 0: not known.
    double usual_s() const;
    /// The silence lasts longer than usual.
    bool due(double now) const { return active() && silent_s(now) >= look_after_s(); }
    /// The job says after how long a run hangs.
    double hang_after_s() const { return hang_after_s_; }

    /// It writes steps; else only output, or only its processes, show whether it makes progress.
    bool trains() const { return steps_seen_; }
    /// A part that takes its time: no step yet in the first minutes, data, validation, a checkpoint.
    bool in_long_phase(double now) const;
    /// Counts up with every sign of progress.
    std::uint64_t signs() const { return signs_; }
    /// Seconds since this rank's own last step or output; nothing: none yet.
    std::optional<double> rank_silent_s(int rank, double now) const;
    /// Ranks that have ended without an error in this attempt.
    const std::set<int>& finished() const { return finished_; }
    /// A rank has failed or a node is over: the run ends by itself.
    bool ending() const { return ending_; }

    /// A sign of progress that teaches nothing about the time between two steps.
    void note_progress(double now);

    /// A silence that was a fault is not usual.
    void forget_silence() { last_sign_us_ = 0; }

private:
    bool learn(const Event& event);
    bool learn_stage(const Event& event, const StageEvent& stage);
    void learn_interval(std::int64_t t_us);

    double hang_after_s_ = 0;
    bool started_ = false;
    bool steps_seen_ = false;
    bool output_seen_ = false;
    bool ending_ = false;
    std::set<std::string> paused_;  ///< nodes
    std::set<int> long_phases_;     ///< ranks
    std::set<int> finished_;
    std::map<int, std::int64_t> steps_;
    std::map<int, double> rank_signs_;
    std::deque<double> intervals_;
    std::int64_t last_sign_us_ = 0;
    double last_sign_ = 0;
    double started_at_ = 0;  ///< this attempt, or the taking up of the run
    std::uint64_t signs_ = 0;
};

}  // namespace rankscope::inline runs
