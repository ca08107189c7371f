// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QRunnable>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace rankscope::gui {

/// Work for a QThreadPool. QThreadPool hands it from thread to thread under a QMutex, which is a futex inside
/// a library that ThreadSanitizer does not see into: there (and only there) the handover is announced to it.
class PoolTask : public QRunnable {
public:
    explicit PoolTask(std::function<void()> work) : work_(std::move(work)) {}

    static void start(QThreadPool* pool, std::function<void()> work) {
        auto task = std::make_unique<PoolTask>(std::move(work));
#if defined(__SANITIZE_THREAD__)
        __tsan_release(&handover);
#endif
        pool->start(task.release());  // it deletes the task when it has run
    }
    void run() override {
#if defined(__SANITIZE_THREAD__)
        __tsan_acquire(&handover);
#endif
        work_();
    }

private:
#if defined(__SANITIZE_THREAD__)
    static inline char handover = 0;
#endif
    std::function<void()> work_;
};

}  // namespace rankscope::gui
