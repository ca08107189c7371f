// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace rankscope::ctl {

/// A run in a terminal: stages with their times, a line of progress per second, logs by rank, the end.
class RunView {
public:
    struct Options {
        bool json = false;
        bool logs = false;  ///< stdout of the ranks too (stderr is always shown)
    };

    explicit RunView(Options options);

    void plan(const LaunchPlan& plan);
    void event(const Event& event);
    const RunState& state() const { return state_; }
    /// What remains to be said once the run is over.
    void summary() const;

private:
    void live_verdict(const DiagnosisEvent& verdict) const;
    void stage(const Event& event, const StageEvent& stage);
    void link(const Event& event, const LinkEvent& link);
    void log(const Event& event, const LogEvent& log);
    void progress(const Event& event);
    void print(const std::string& line) const;
    void print_quoted(const std::string& prefix, std::string_view line) const;
    void print_diagnoses() const;
    std::size_t quote_columns() const;

    Options options_;
    std::size_t columns_;  ///< of the terminal; 0: the output is no terminal
    RunState state_;
    std::int64_t last_progress_us_ = 0;
    std::string last_push_line_;
    bool rendezvous_reported_ = false;  ///< by a rank
};

}  // namespace rankscope::ctl
