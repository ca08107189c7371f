// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/work_queue.h>

#include <exception>

namespace rankscope::engine {

WorkQueue::WorkQueue() : thread_([this] { run(); }) {}

WorkQueue::~WorkQueue() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
}

Work WorkQueue::submit(std::function<void()> operation) {
    Work work;
    {
        const std::lock_guard lock(mutex_);
        pending_.emplace_back(std::move(operation), work);
    }
    changed_.notify_one();
    return work;
}

void WorkQueue::run() {
    for (;;) {
        std::pair<std::function<void()>, Work> next;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
            if (pending_.empty()) {
                return;
            }
            next = std::move(pending_.front());
            pending_.pop_front();
        }
        std::optional<std::string> error;
        try {
            next.first();
        } catch (const std::exception& exception) {
            error = exception.what();
        }
        next.second.finish(std::move(error));
    }
}

}  // namespace rankscope::engine
