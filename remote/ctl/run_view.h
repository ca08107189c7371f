// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/run_state.h>

#include <cstdio>
#include <mutex>
#include <string>

namespace rankscope::ctl {

/// A run in a terminal: stages with their times, a line of progress per second, logs by rank, the end.
class RunView {
public:
    struct Options {
        bool json = false;
        bool logs = false;  ///< stdout of the ranks too (stderr is always shown)
    };

    explicit RunView(Options options) : options_(options) {}

    void plan(const LaunchPlan& plan);
    void event(const Event& event);
    const RunState& state() const { return state_; }
    /// What remains to be said once the run is over.
    void summary() const;

private:
    void stage(const Event& event, const StageEvent& stage);
    void link(const Event& event, const LinkEvent& link);
    void log(const Event& event, const LogEvent& log);
    void progress(const Event& event);

    Options options_;
    RunState state_;
    std::int64_t last_progress_us_ = 0;
    std::string last_push_line_;
};

}  // namespace rankscope::ctl
