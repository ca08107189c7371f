// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/pool_task.h>

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace rankscope::gui {

namespace detail {

/// Shared by a job, its thread and the calls it has posted. `context` becomes null when the job is cancelled
/// or its owner goes away; nothing is delivered after that.
struct JobTicket {
    std::mutex mutex;
    QObject* context = nullptr;
    std::stop_source stop;
    bool finished = false;  ///< touched on the context's thread only

    bool alive() {
        const std::lock_guard lock(mutex);
        return context != nullptr;
    }
    /// Runs `call` on the context's thread, unless the job is cancelled before that.
    static void post(const std::shared_ptr<JobTicket>& ticket, std::function<void()> call) {
        const std::lock_guard lock(ticket->mutex);
        if (!ticket->context) {
            return;
        }
        QMetaObject::invokeMethod(
            ticket->context,
            [ticket, call = std::move(call)] {
                if (ticket->alive()) {
                    call();
                }
            },
            Qt::QueuedConnection);
    }
};

}  // namespace detail

/// What a job's work sees of its job.
class JobHandle {
public:
    explicit JobHandle(std::shared_ptr<detail::JobTicket> ticket) : ticket_(std::move(ticket)) {}

    std::stop_token stop() const { return ticket_->stop.get_token(); }
    bool cancelled() const { return ticket_->stop.stop_requested(); }
    /// Runs `call` on the owner's thread; dropped when the job is cancelled by then. For progress.
    void post(std::function<void()> call) const { detail::JobTicket::post(ticket_, std::move(call)); }

private:
    std::shared_ptr<detail::JobTicket> ticket_;
};

/// One slot for work that must not block the window: `work` runs on a pool's thread, `done` gets its result
/// on the context's thread. A new start, cancel() or the end of this object drops the work in progress: its stop
/// token is set and its result never arrives. Make it a member of the context, so that it ends no later than
/// the context does.
class BackgroundJob {
public:
    BackgroundJob(QObject* context, QThreadPool* pool) : context_(context), pool_(pool) {}
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    /// work: T(const JobHandle&);  done: void(T)
    template <typename Work, typename Done>
    void start(Work work, Done done) {
        using Value = std::invoke_result_t<Work, const JobHandle&>;
        cancel();
        auto ticket = std::make_shared<detail::JobTicket>();
        ticket->context = context_;
        ticket_ = ticket;
        auto task = std::make_shared<std::pair<Work, Done>>(std::move(work), std::move(done));
        PoolTask::start(pool_, [ticket, task] {
            if (ticket->stop.stop_requested()) {
                return;
            }
            auto value = std::make_shared<Value>(task->first(JobHandle(ticket)));
            detail::JobTicket::post(ticket, [ticket, task, value] {
                ticket->finished = true;
                task->second(std::move(*value));
            });
        });
    }

    bool running() const { return ticket_ && !ticket_->finished; }

    void cancel() {
        if (!ticket_) {
            return;
        }
        ticket_->stop.request_stop();
        {
            const std::lock_guard lock(ticket_->mutex);
            ticket_->context = nullptr;
        }
        ticket_.reset();
    }

private:
    QObject* context_;
    QThreadPool* pool_;
    std::shared_ptr<detail::JobTicket> ticket_;
};

}  // namespace rankscope::gui
