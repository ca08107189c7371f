// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/doctor/doctor_subject.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/through_node.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/store/store_file.h>
#include <remote/desk/runs/watch/examination_report.h>

#include <utility>

namespace rankscope::gui {

namespace {

/// Of this program, or of the store.
std::shared_ptr<const KeptReport> kept_report(const RunStore* store, const std::string& run_id) {
    if (auto remembered = remembered_report(run_id); remembered || store == nullptr) {
        return remembered;
    }
    auto stored = stored_report(file_of(*store), run_id);
    return stored ? *stored : nullptr;
}

}  // namespace

DoctorSubject::DoctorSubject(Workspace* workspace, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      preflight_(run_preflight),
      examiner_(rankscope::examine_run),
      job_(this, workspace->pool()) {
    connect(workspace->preflight(), &PreflightSession::changed, this, &DoctorSubject::changed);
    connect(workspace->preflight(), &PreflightSession::progressed, this, &DoctorSubject::progressed);
}

void DoctorSubject::set_runners(PreflightSession::Runner preflight, Examiner examiner) {
    preflight_ = std::move(preflight);
    examiner_ = std::move(examiner);
}

void DoctorSubject::forget() {
    job_.cancel();
    progress_.clear();
    report_.reset();
    failure_.reset();
    ranks_.clear();
    kept_ = false;
}

void DoctorSubject::show_job() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget();
    kind_ = Kind::Job;
    emit changed();
}

void DoctorSubject::show_nodes() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget();
    kind_ = Kind::Nodes;
    emit changed();
}

void DoctorSubject::show_run(const DoctorRun& run) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget();
    kind_ = Kind::Run;
    run_ = run;
    load_run();
    emit changed();
}

void DoctorSubject::load_run() {
    job_.start(
        [store = workspace_->store(), run = run_](const JobHandle&) {
            const auto kept = kept_report(store.get(), run.run_id);
            Found found{.report = report_of(run.verdicts, kept.get(), run.plan), .kept = true};
            if (kept) {
                found.depth = kept->depth;
                found.at_us = kept->made_us;
            } else if (run.verdicts.empty()) {
                found.report = Failure{};
            }
            return std::pair(std::move(found), kept != nullptr);
        },
        [this](std::pair<Found, bool> loaded) {
            if (loaded.first.report) {
                take(std::move(loaded.first));
            }
            if (run_.in_progress && !loaded.second) {
                examine_run();
            }
            emit changed();
        });
}

std::function<void(const std::string&)> DoctorSubject::progress_sink(const JobHandle& handle) {
    return [this, handle](const std::string& text) {
        // `this` is used on its own thread only, and not after the job is cancelled.
        handle.post([this, text] {
            progress_ = qs(text);
            emit progressed();
        });
    };
}

void DoctorSubject::examine_run() {
    ExaminationRequest request;
    request.run_id = run_.run_id;
    request.plan = run_.plan;
    request.inventory = workspace_->fleet()->inventory();
    request.job = parse_job(run_.job_yaml, run_.run_id).job;
    request.prompter = workspace_->fleet()->prompter();
    request.through = through_node(request.job, request.inventory, run_.run_id);
    progress_.clear();
    job_.start(
        [this, examiner = examiner_, request = std::move(request)](const JobHandle& handle) mutable {
            request.progress = progress_sink(handle);
            const double begin = monotonic_s();
            auto seen = examiner(request, handle.stop());
            Found found{.report = Failure{}, .at_us = now_us()};
            if (!seen) {
                found.report = seen.failure();
                return found;
            }
            PreflightReport report = report_of(*seen, request.plan);
            report.seconds = monotonic_s() - begin;
            found.report = std::move(report);
            found.ranks = std::move(seen->ranks);
            return found;
        },
        [this](Found found) { take(std::move(found)); });
    emit changed();
}

void DoctorSubject::inspect(const Job& job, PreflightDepth depth) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (kind_ == Kind::Job) {
        workspace_->preflight()->start(job, depth);
        return;
    }
    if (kind_ == Kind::Run && run_.in_progress) {
        examine_run();
        return;
    }
    PreflightRequest request;
    request.inventory = workspace_->fleet()->inventory();
    request.job = kind_ == Kind::Run ? parse_job(run_.job_yaml, run_.run_id).job : job;
    request.depth = depth;
    request.prompter = workspace_->fleet()->prompter();
    progress_.clear();
    job_.start(
        [this, runner = preflight_, sessions = workspace_->fleet()->sessions(),
         request = std::move(request)](const JobHandle& handle) mutable {
            request.sessions = sessions.get();
            request.progress = progress_sink(handle);
            auto report = runner(request, handle.stop());
            return Found{.report = std::move(report), .depth = request.depth, .at_us = now_us()};
        },
        [this](Found found) { take(std::move(found)); });
    emit changed();
}

void DoctorSubject::take(Found found) {
    progress_.clear();
    depth_ = found.depth;
    finished_us_ = found.at_us;
    kept_ = found.kept;
    ranks_ = std::move(found.ranks);
    failure_.reset();
    if (found.report) {
        report_ = std::make_shared<const PreflightReport>(std::move(*found.report));
    } else {
        failure_ = found.report.failure();
    }
    emit changed();
}

void DoctorSubject::cancel() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (kind_ == Kind::Job) {
        workspace_->preflight()->cancel();
    } else if (job_.running()) {
        job_.cancel();
        progress_.clear();
        emit changed();
    }
}

bool DoctorSubject::running() const {
    return kind_ == Kind::Job ? workspace_->preflight()->running() : job_.running();
}

QString DoctorSubject::progress() const {
    return kind_ == Kind::Job ? workspace_->preflight()->progress() : progress_;
}

const std::shared_ptr<const PreflightReport>& DoctorSubject::report() const {
    return kind_ == Kind::Job ? workspace_->preflight()->report() : report_;
}

const std::optional<Failure>& DoctorSubject::failure() const {
    return kind_ == Kind::Job ? workspace_->preflight()->failure() : failure_;
}

PreflightDepth DoctorSubject::depth() const {
    return kind_ == Kind::Job ? workspace_->preflight()->reported_depth() : depth_;
}

std::int64_t DoctorSubject::finished_us() const {
    return kind_ == Kind::Job ? workspace_->preflight()->finished_us() : finished_us_;
}

QString DoctorSubject::origin() const {
    if (!report()) {
        return {};
    }
    if (kind_ == Kind::Run && kept_) {
        return finished_us_ == 0 ? tr("what the run %1 shows").arg(run_.name)
                                 : tr("found for the run %1").arg(run_.name);
    }
    const QString seconds = duration_text(report()->seconds);
    if (kind_ == Kind::Run && run_.in_progress) {
        return tr("the run %1, inspected in %2").arg(run_.name, seconds);
    }
    return depth() == PreflightDepth::Full ? tr("full preflight in %1").arg(seconds)
                                           : tr("quick preflight in %1").arg(seconds);
}

}  // namespace rankscope::gui
