// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace rankscope::engine {

/// The communication thread: runs operations one after the other. What an operation throws is told to whoever
/// waits for it; it never leaves the thread.
class WorkQueue {
public:
    WorkQueue();
    ~WorkQueue();
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    Work submit(std::function<void()> operation);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::pair<std::function<void()>, Work>> pending_;
    bool stopping_ = false;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rankscope::engine
