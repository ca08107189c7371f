// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/error.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace rankscope::engine {

/// When an operation that was handed in is to run.
enum class When {
    soon,    ///< as soon as those before it are done, on the communication thread
    at_wait  ///< not before it is waited for, or one behind it is due: the waiting thread runs it
};

/// A running operation. Copies share the same one; a default-made one is finished.
class Work {
public:
    Work() = default;
    /// Returns when it is finished; runs it, and those before it, on this thread if no thread has begun them.
    /// Throws what ended it: PeerLostError when it cannot be finished any more, Error when it was wrong.
    void wait();

private:
    friend class WorkQueue;
    struct State;
    explicit Work(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

/// Runs operations one after the other, in the order in which they were handed in: on the communication
/// thread, or on the thread that waits when the communication thread has nothing to do. (Handing an operation
/// to another thread costs 5–50 µs, ten times what a small all-reduce takes.) What an operation throws is
/// passed to the thread that waits for it; it never leaves the communication thread.
class WorkQueue {
public:
    WorkQueue();
    /// Waits for the operation that is running; those that have not begun fail.
    ~WorkQueue();
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    Work submit(std::function<void()> operation, When when);

    /// Runs it after those before it and returns when it is done; on this thread if there are none.
    template <typename Operation>
    void run(const Operation& operation) {
        if (!enter()) {
            submit([&operation] { operation(); }, When::at_wait).wait();
            return;
        }
        const Leave leave{*this};
        try {
            operation();
        } catch (const Error&) {
            throw;
        } catch (const std::exception&) {
            throw_as_error();
        }
    }

private:
    friend class Work;
    struct Core;
    struct Leave {
        WorkQueue& queue;
        ~Leave() { queue.leave(); }
    };

    bool enter();
    void leave();
    /// For the exception that is being handled: PeerLostError where a connection broke, else Error.
    [[noreturn]] static void throw_as_error();

    std::shared_ptr<Core> core_;
    std::jthread thread_;  // last: it uses the core
};

}  // namespace rankscope::engine
