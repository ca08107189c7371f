// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/session/run_session.h>
#include <gui/strings.h>

#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kDrainEveryMs = 50;
constexpr std::uint64_t kProgressEvery = 2000;

}  // namespace

Result<LiveData> read_stored_run(const RunStore& store, const RunRecord& record,
                                 const std::function<bool(std::uint64_t)>& progress) {
    LiveData data;
    data.state.run_id = record.run_id;
    data.state.name = record.name;
    data.job_yaml = record.job_yaml;
    data.set_plan(record.plan);
    std::uint64_t count = 0;
    const Result<void> read = store.replay(record.run_id, [&](const Event& event) {
        data.apply(event);
        return ++count % kProgressEvery != 0 || progress(count);
    });
    if (!read) {
        return read.failure();
    }
    // A plan from the store knows the run's start better than its first event does.
    if (data.state.start_us == 0) {
        data.state.start_us = record.started_us;
    }
    return data;
}

RunSession::RunSession(QThreadPool* pool, QObject* parent)
    : QObject(parent), pool_(pool), model_(nullptr), attach_job_(this, pool) {
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

bool RunSession::under_way_on_nodes() const {
    for (const StageState& stage : model_.state().stages) {
        if (stage.name == "start") {
            return stage.done;
        }
    }
    return false;
}

void RunSession::start(RunRequest request, std::shared_ptr<RunStore> store, const Prompter& prompter) {
    retire();
    LiveData data;
    data.state.name = request.job.name;
    data.job_yaml = request.job_yaml;
    queue_ = std::make_shared<EventQueue>();
    controller_ = RunController::start(std::move(request), std::move(store), prompter, event_sink(queue_),
                                       plan_sink(queue_));
    data.state.run_id = controller_->run_id();
    model_.reset(std::move(data));
    timer_.start();
    emit started();
    emit stateChanged();
}

void RunSession::attach(const RunRecord& record, Inventory inventory, std::shared_ptr<RunStore> store,
                        const Prompter& prompter) {
    struct Attached {
        std::unique_ptr<RunController> controller;
        LiveData data;
        Failure failure;
    };
    retire();
    auto queue = std::make_shared<EventQueue>();
    attach_job_.start(
        [=, this, nodes = std::move(inventory)](const JobHandle& handle) {
            Attached attached;
            auto controller = RunController::attach(record.run_id, nodes, store, prompter, event_sink(queue),
                                                    plan_sink(queue));
            if (!controller) {
                attached.failure = controller.failure();
                return attached;
            }
            Result<LiveData> data = read_stored_run(*store, record, [&](std::uint64_t count) {
                handle.post([this, count] { emit attachProgress(qint64(count)); });
                return !handle.cancelled();
            });
            if (!data) {
                attached.failure = data.failure();
                return attached;
            }
            attached.controller = std::move(*controller);
            attached.data = std::move(*data);
            return attached;
        },
        [this, queue](Attached attached) {
            if (!attached.controller) {
                emit attachFailed(attached.failure);
                emit stateChanged();
                return;
            }
            queue_ = queue;
            controller_ = std::move(attached.controller);
            model_.reset(std::move(attached.data));
            timer_.start();
            emit this->attached();
            emit stateChanged();
            drain();
        });
    emit stateChanged();
}

void RunSession::cancel_attach() {
    attach_job_.cancel();
    emit stateChanged();
}

void RunSession::drain() {
    if (!queue_) {
        return;
    }
    // Asked before the queue is emptied: what was pushed before the end is then in this batch.
    const bool over = controller_ && controller_->finished();
    const std::vector<QueuedItem> items = queue_->take();
    if (!items.empty()) {
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
    if (!live()) {
        return;
    }
    controller_->stop(force);
    stopping_ = true;
    emit stateChanged();
}

void RunSession::pause(bool pause) {
    if (!can_pause()) {
        return;
    }
    controller_->pause(!pause);
    pause_wanted_ = pause;
    emit stateChanged();
}

bool RunSession::can_pause() const {
    return live() && !stopping_ && !model_.state().queue && under_way_on_nodes();
}

bool RunSession::pause_wanted() const {
    return pause_wanted_.value_or(!model_.state().paused.empty());
}

void RunSession::detach() {
    retire();
    emit stateChanged();
}

void RunSession::retire() {
    attach_job_.cancel();
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
