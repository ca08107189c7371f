// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/wire/event.h>

#include <mutex>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope::gui {

using QueuedItem = std::variant<Event, LaunchPlan>;

/// Between a run's threads, which push, and the window's timer, which takes all at once.
class EventQueue {
public:
    void push(QueuedItem item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
    }
    std::vector<QueuedItem> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(items_, {});
    }

private:
    std::mutex mutex_;
    std::vector<QueuedItem> items_;
};

}  // namespace rankscope::gui
