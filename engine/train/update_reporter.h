// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/train/run_progress.h>
#include <engine/train/trainer_options.h>

#include <chrono>
#include <deque>

namespace rankscope::engine {

/// An update that was begun and not reported.
struct PendingUpdate {
    StepReport report;
    std::chrono::steady_clock::time_point begun_at;
    bool reduce = false;  ///< over the ranks
};

/// Takes the results of updates, in order, adds them to the progress and reports them to the listeners. A step
/// that runs ahead gives its results late.
class UpdateReporter {
public:
    /// All must outlive the reporter.
    UpdateReporter(const TrainerOptions& options, TrainingStep& step, RunProgress& progress);

    void begin_epoch() { epoch_totals_ = {}; }
    /// Reports what the step does not keep open.
    void add(const PendingUpdate& update);
    /// Waits for all results.
    void report_all();
    /// Names the place and what to try.
    Error diverged(const NotFiniteError& error, const StepReport& report) const;

private:
    void report_earliest();

    const TrainerOptions& options_;
    TrainingStep& step_;
    RunProgress& progress_;
    std::deque<PendingUpdate> pending_;
    std::chrono::steady_clock::time_point reported_at_;
    Totals epoch_totals_;  ///< of what was reported
};

}  // namespace rankscope::engine
