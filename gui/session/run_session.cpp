// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/session/run_session.h>
#include <gui/strings.h>
#include <remote/desk/runs/run/log_diagnosis.h>

#include <atomic>
#include <mutex>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kDrainEveryMs = 50;
constexpr std::uint64_t kProgressEvery = 2000;

void begin_stored_run(LiveData& data, const RunRecord& record) {
    data.state.run_id = record.run_id;
    data.state.name = record.name;
    data.job_yaml = record.job_yaml;
    data.set_plan(record.plan);
}

}  // namespace

Result<LiveData> read_stored_run(const RunStore& store, const RunRecord& record,
                                 const std::function<bool(std::uint64_t)>& progress,
                                 std::shared_ptr<LogDiagnosis> reading) {
    LiveData data;
    begin_stored_run(data, record);
    std::uint64_t count = 0;
    const Result<void> read = store.replay(record.run_id, [&](const Event& event) {
        data.apply(event);
        if (reading) {
            reading->recall(event);
        }
        return ++count % kProgressEvery != 0 || progress(count);
    });
    if (!read) {
        return read.failure();
    }
    if (reading) {
        reading->end_recall();
        data.reading = std::move(reading);
    }
    // Without any event the store still knows when it started.
    if (data.state.start_us == 0) {
        data.state.start_us = record.started_us;
    }
    return data;
}

RunSession::RunSession(QThreadPool* pool, QObject* parent) : QObject(parent), pool_(pool), model_(nullptr) {
    timer_.setInterval(kDrainEveryMs);
    connect(&timer_, &QTimer::timeout, this, &RunSession::drain);
}

RunSession::~RunSession() {
    retire();
}

EventSink RunSession::event_sink(const std::shared_ptr<EventQueue>& queue) const {
    return [queue](const Event& event) { queue->push(event); };
}

PlanSink RunSession::plan_sink(const std::shared_ptr<EventQueue>& queue) const {
    return [queue](const LaunchPlan& plan) { queue->push(plan); };
}

bool RunSession::runs_on_nodes() const {
    for (const StageState& stage : model_.state().stages) {
        if (stage.name == StageName::Start) {
            return stage.done;
        }
    }
    return false;
}

void RunSession::start(RunRequest request, std::shared_ptr<RunStore> store, const Prompter& prompter) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    retire();
    LiveData data;
    data.state.name = request.job.name;
    data.job_yaml = request.job_yaml;
    pauses_ = launcher_kind(request.job).abilities.pauses;
    queue_ = std::make_shared<EventQueue>();
    request.can_look = true;
    controller_ = RunController::start(std::move(request), std::move(store), prompter, event_sink(queue_),
                                       plan_sink(queue_));
    data.state.run_id = controller_->run_id();
    model_.reset(std::move(data));
    timer_.start();
    emit started();
    emit stateChanged();
}

struct RunSession::Attaching {
    std::atomic<bool> cancelled{false};
    std::atomic<std::uint64_t> read{0};
    std::mutex mutex;
    std::optional<Result<void>> ready;
    LiveData data;  ///< the controller's thread's until it is ready
};

void RunSession::attach(const RunRecord& record, Inventory inventory, std::shared_ptr<RunStore> store,
                        const Prompter& prompter, std::uint64_t log_limit) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    retire();
    queue_ = std::make_shared<EventQueue>();
    attaching_ = std::make_shared<Attaching>();
    AttachHooks hooks;
    hooks.log_limit = log_limit;
    hooks.can_look = true;
    hooks.record = [state = attaching_](const RunRecord& stored) { begin_stored_run(state->data, stored); };
    hooks.past = [state = attaching_](const Event& event) {
        state->data.apply(event);
        ++state->read;
        return !state->cancelled;
    };
    hooks.ready = [state = attaching_](const Result<void>& result) {
        const std::lock_guard lock(state->mutex);
        state->ready = result;
    };
    controller_ = RunController::attach(record.run_id, std::move(inventory), std::move(store), prompter,
                                        event_sink(queue_), plan_sink(queue_), std::move(hooks));
    timer_.start();
    emit stateChanged();
}

void RunSession::look_at_attaching() {
    const auto attached_run = attaching_;
    emit attachProgress(static_cast<qint64>(attached_run->read.load()));
    std::optional<Result<void>> ready;
    {
        const std::lock_guard lock(attached_run->mutex);
        ready = attached_run->ready;
    }
    if (!ready || attaching_ != attached_run) {  // not yet, or cancelled by a receiver of the progress
        return;
    }
    attaching_.reset();
    if (!*ready) {
        retire();
        emit attachFailed(ready->failure());
        emit stateChanged();
        return;
    }
    pauses_ = launcher_kind(parse_job(attached_run->data.job_yaml, "").job).abilities.pauses;
    model_.reset(std::move(attached_run->data));
    emit attached();
    emit stateChanged();
}

void RunSession::cancel_attach() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (attaching()) {
        retire();
        emit stateChanged();
    }
}

void RunSession::drain() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (attaching()) {
        look_at_attaching();
    }
    if (!queue_ || attaching()) {
        return;
    }
    // Asked before the queue is emptied: what was pushed before the end is then in this batch.
    const bool over = controller_ && controller_->finished();
    const std::vector<QueuedItem> items = queue_->take();
    if (!items.empty()) {
        emit arrived(items);
        model_.apply(items);
    }
    if (over && !ended_) {
        ended_ = true;
        stopping_ = false;
        timer_.stop();
        emit stateChanged();
        emit ended();
    }
}

void RunSession::stop(bool force) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!live()) {
        return;
    }
    controller_->stop(force ? StopKind::Force : StopKind::Graceful);
    stopping_ = true;
    emit stateChanged();
}

void RunSession::pause(bool pause) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!can_pause()) {
        return;
    }
    controller_->pause(pause ? PauseAction::Pause : PauseAction::Continue);
    pause_wanted_ = pause;
    emit stateChanged();
}

bool RunSession::can_pause() const {
    return live() && !stopping_ && pauses_ && runs_on_nodes();
}

bool RunSession::pause_wanted() const {
    return pause_wanted_.value_or(!model_.state().paused.empty());
}

void RunSession::detach() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    retire();
    emit stateChanged();
}

bool RunSession::look(std::function<void(std::shared_ptr<const ReadingSnapshot>)> look) {
    RANKSCOPE_CHECK(on_thread_of(this), return false);
    return controller_ && !attaching() && controller_->look(std::move(look));
}

void RunSession::retire() {
    if (attaching_) {
        attaching_->cancelled = true;
        attaching_.reset();
    }
    timer_.stop();
    queue_.reset();
    ended_ = false;
    stopping_ = false;
    pause_wanted_.reset();
    if (controller_) {
        // Its end joins threads that may be in the middle of a network call: not on the window's time.
        pool_->start(
            [last = std::shared_ptr<RunController>(std::move(controller_))]() mutable { last.reset(); });
    }
}

}  // namespace rankscope::gui
