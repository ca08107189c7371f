// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/session/workspace.h>
#include <remote/desk/runs/watch/run_examination.h>

#include <QObject>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A run as Doctor needs it.
struct DoctorRun {
    std::string run_id;
    QString name;
    std::string job_yaml;
    LaunchPlan plan;
    bool in_progress = false;
    std::vector<Verdict> verdicts = {};  ///< that hold, or held at its end
};

/// What Doctor inspects, and the last report about it: the job of Launch, whose preflight Launch shows as well; a run,
/// with the report that is kept of it; or nodes for no job in particular. None replaces the report of another one.
class DoctorSubject : public QObject {
    Q_OBJECT

public:
    enum class Kind { Job, Run, Nodes };
    using Examiner =
        std::function<Result<RunExamination>(const ExaminationRequest& request, const std::stop_token& stop)>;

    DoctorSubject(Workspace* workspace, QObject* parent);

    Kind kind() const { return kind_; }
    const DoctorRun& run() const { return run_; }
    void show_job();
    /// Shows what is kept of the run, and its verdicts. Without a report of a run in progress, it is inspected.
    void show_run(const DoctorRun& run);
    void show_nodes();

    /// The job of Launch or its chosen nodes, nodes of the inventory, or the run: what holds it while it is in progress,
    /// else what its job would meet now.
    void inspect(const Job& job, PreflightDepth depth);
    void cancel();
    bool running() const;
    QString progress() const;
    const std::shared_ptr<const PreflightReport>& report() const;
    const std::optional<Failure>& failure() const;
    PreflightDepth depth() const;
    std::int64_t finished_us() const;
    /// "full preflight in 3.2 s", "found by the start of mnist", …
    QString origin() const;
    /// Of a run that was inspected in progress.
    const std::map<int, RankSeen>& ranks() const { return ranks_; }

    /// For tests.
    void set_runners(PreflightSession::Runner preflight, Examiner examiner);

signals:
    void progressed();
    void changed();

private:
    struct Found {
        Result<PreflightReport> report;
        PreflightDepth depth = PreflightDepth::Quick;
        std::int64_t at_us = 0;
        bool kept = false;  ///< with the run; else it was made now
        std::map<int, RankSeen> ranks = {};
    };
    void forget();
    void take(Found found);
    void load_run();
    void examine_run();
    std::function<void(const std::string&)> progress_sink(const JobHandle& handle);

    Workspace* workspace_;
    PreflightSession::Runner preflight_;
    Examiner examiner_;
    BackgroundJob job_;
    Kind kind_ = Kind::Job;
    DoctorRun run_;
    QString progress_;
    std::shared_ptr<const PreflightReport> report_;
    std::optional<Failure> failure_;
    PreflightDepth depth_ = PreflightDepth::Full;
    std::int64_t finished_us_ = 0;
    bool kept_ = false;
    std::map<int, RankSeen> ranks_;
};

}  // namespace rankscope::gui
