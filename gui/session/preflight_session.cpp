// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/on_thread.h>
#include <gui/session/preflight_session.h>
#include <gui/strings.h>

#include <utility>

namespace rankscope::gui {

PreflightSession::PreflightSession(Fleet* fleet, QThreadPool* pool, Runner runner)
    : QObject(nullptr), fleet_(fleet), runner_(std::move(runner)), job_(this, pool) {}

void PreflightSession::start(const Job& job, PreflightDepth depth) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    depth_ = depth;
    progress_.clear();
    PreflightRequest request;
    request.inventory = fleet_->inventory();
    request.job = job;
    request.depth = depth;
    request.prompter = fleet_->prompter();
    job_.start(
        [this, runner = runner_, sessions = fleet_->sessions(),
         request = std::move(request)](const JobHandle& handle) mutable {
            request.sessions = sessions.get();
            request.progress = [this, handle](const std::string& text) {
                // `this` is used on its own thread only, and not after the job is cancelled.
                handle.post([this, text] {
                    progress_ = qs(text);
                    emit progressed();
                });
            };
            return runner(request, handle.stop());
        },
        [this, job, depth](Result<PreflightReport> result) { set_report(job, depth, std::move(result)); });
    emit changed();
}

void PreflightSession::set_report(const Job& job, PreflightDepth depth, Result<PreflightReport> result,
                                  const QString& run) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    progress_.clear();
    reported_ = job;
    run_ = run;
    reported_depth_ = depth;
    finished_us_ = now_us();
    if (result) {
        failure_.reset();
        report_ = std::make_shared<const PreflightReport>(std::move(*result));
    } else {
        report_.reset();
        failure_ = result.failure();
    }
    emit changed();
}

void PreflightSession::cancel() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (job_.running()) {
        job_.cancel();
        progress_.clear();
        emit changed();
    }
}

}  // namespace rankscope::gui
