// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/session/fleet.h>
#include <remote/desk/runs/preflight/preflight.h>

#include <QObject>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace rankscope::gui {

/// The preflight of this window: one at a time, on a thread of its own, and the report of the last one. Launch and
/// Doctor show the same.
class PreflightSession : public QObject {
    Q_OBJECT

public:
    using Runner =
        std::function<Result<PreflightReport>(const PreflightRequest& request, const std::stop_token& stop)>;

    explicit PreflightSession(Fleet* fleet, QThreadPool* pool, Runner runner = run_preflight);

    /// Cancels one in progress. The report of the last one stays until the new one is there.
    void start(const Job& job, PreflightDepth depth);
    void cancel();
    bool running() const { return job_.running(); }
    /// What it does right now, one line.
    const QString& progress() const { return progress_; }
    /// Of the one in progress, or of the last one.
    PreflightDepth depth() const { return depth_; }
    /// Of the last one that finished; null: none, or it failed.
    const std::shared_ptr<const PreflightReport>& report() const { return report_; }
    /// The job that the report is about.
    const std::optional<Job>& job() const { return reported_; }
    PreflightDepth reported_depth() const { return reported_depth_; }
    std::int64_t finished_us() const { return finished_us_; }
    /// Why the last one gave no report.
    const std::optional<Failure>& failure() const { return failure_; }

    /// The run whose verdict the report is; empty: it is that of a preflight.
    const QString& run() const { return run_; }

    /// Takes a report as if it had just been made. `run`: it is what the verdict of this run says.
    void set_report(const Job& job, PreflightDepth depth, Result<PreflightReport> result,
                    const QString& run = {});

signals:
    void progressed();
    /// It began, ended or was cancelled.
    void changed();

private:
    Fleet* fleet_;
    Runner runner_;
    BackgroundJob job_;
    QString progress_;
    PreflightDepth depth_ = PreflightDepth::Full;
    std::shared_ptr<const PreflightReport> report_;
    std::optional<Job> reported_;
    PreflightDepth reported_depth_ = PreflightDepth::Full;
    std::int64_t finished_us_ = 0;
    QString run_;
    std::optional<Failure> failure_;
};

}  // namespace rankscope::gui
