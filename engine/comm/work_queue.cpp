// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/work_queue.h>

#include <gloo/common/error.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>

namespace rankscope::engine {
namespace {

/// Errors travel between threads as values.
struct Failure {
    std::string text;
    bool peer_lost = true;
};

/// The meaning of the exception in flight.
Failure failure_in_flight() {
    try {
        throw;
    } catch (const PeerLostError& error) {
        return Failure{error.what(), true};
    } catch (const gloo::Exception& error) {
        return Failure{error.what(), true};  // a connection broke, or nothing came within the time limit
    } catch (const std::system_error& error) {
        return Failure{error.what(), true};
    } catch (const std::exception& error) {
        return Failure{error.what(), false};  // this rank's own fault: out of memory, a wrong call
    }
}

[[noreturn]] void throw_failure(const Failure& failure) {
    if (failure.peer_lost) {
        throw PeerLostError(failure.text);
    }
    throw Error(failure.text);
}

std::optional<Failure> outcome_of(const std::function<void()>& operation) {
    try {
        operation();
        return std::nullopt;
    } catch (const std::exception&) {
        return failure_in_flight();
    }
}

}  // namespace

struct Work::State {
    std::shared_ptr<WorkQueue::Core> core;
    bool done = false;  ///< this and `failure`: under the core's mutex
    std::optional<Failure> failure;
};

struct WorkQueue::Core {
    struct Item {
        std::function<void()> operation;
        std::shared_ptr<Work::State> work;
        When when = When::soon;
    };

    std::mutex mutex;
    std::condition_variable finished;  ///< for those who wait
    std::condition_variable wanted;    ///< for the communication thread
    std::deque<Item> pending;
    int soon = 0;          ///< of the pending ones, how many are due
    bool running = false;  ///< by whichever thread
    bool stopping = false;

    void run_first(std::unique_lock<std::mutex>& lock) {
        Item item = std::move(pending.front());
        pending.pop_front();
        soon -= item.when == When::soon ? 1 : 0;
        running = true;
        lock.unlock();
        std::optional<Failure> failure = outcome_of(item.operation);
        item.operation = nullptr;
        lock.lock();
        item.work->failure = std::move(failure);
        item.work->done = true;
        ran();
    }

    void ran() {
        running = false;
        finished.notify_all();
        if (soon > 0) {
            wanted.notify_one();
        }
    }

    void serve() {
        std::unique_lock lock(mutex);
        while (!stopping) {
            if (!running && soon > 0) {
                run_first(lock);
            } else {
                wanted.wait(lock);
            }
        }
    }
};

void Work::wait() {
    if (!state_) {
        return;
    }
    WorkQueue::Core& core = *state_->core;
    std::unique_lock lock(core.mutex);
    while (!state_->done) {
        if (!core.running && !core.pending.empty()) {
            core.run_first(lock);
        } else {
            core.finished.wait(lock);
        }
    }
    if (state_->failure) {
        const Failure failure = *state_->failure;
        lock.unlock();
        throw_failure(failure);
    }
}

WorkQueue::WorkQueue() : core_(std::make_shared<Core>()), thread_([core = core_.get()] { core->serve(); }) {}

WorkQueue::~WorkQueue() {
    const std::lock_guard lock(core_->mutex);
    core_->stopping = true;
    for (Core::Item& item : core_->pending) {
        item.work->failure = Failure{"the process group was closed before its operation began"};
        item.work->done = true;
    }
    core_->pending.clear();
    core_->soon = 0;
    core_->finished.notify_all();
    core_->wanted.notify_all();
}

Work WorkQueue::submit(std::function<void()> operation, When when) {
    auto state = std::make_shared<Work::State>();
    state->core = core_;
    {
        const std::lock_guard lock(core_->mutex);
        core_->pending.push_back({std::move(operation), state, when});
        core_->soon += when == When::soon ? 1 : 0;
    }
    if (when == When::soon) {
        core_->wanted.notify_one();
    }
    return Work(std::move(state));
}

void WorkQueue::throw_as_error() {
    throw_failure(failure_in_flight());
}

bool WorkQueue::enter() {
    const std::lock_guard lock(core_->mutex);
    if (core_->running || !core_->pending.empty()) {
        return false;
    }
    core_->running = true;
    return true;
}

void WorkQueue::leave() {
    const std::lock_guard lock(core_->mutex);
    core_->ran();
}

}  // namespace rankscope::engine
