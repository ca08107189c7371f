// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>

#include <functional>
#include <optional>
#include <utility>

namespace rankscope::gui {

/// Work of which only the newest request counts, one at a time: a request waits for the one in progress and replaces
/// the one that waits. Every result that was begun arrives, so that a stream of requests cannot starve it. `work` runs
/// on a pool's thread and gets values only.
template <typename Request, typename Result>
class LatestJob {
public:
    using Work = Result (*)(const Request&);

    LatestJob(QObject* context, QThreadPool* pool, Work work, std::function<void(Result)> done)
        : job_(context, pool), work_(work), done_(std::move(done)) {}

    void request(Request request) {
        if (job_.running()) {
            next_ = std::move(request);
        } else {
            start(std::move(request));
        }
    }
    bool running() const { return job_.running(); }
    void cancel() {
        next_.reset();
        job_.cancel();
    }

private:
    void start(Request request) {
        job_.start([work = work_, request = std::move(request)](const JobHandle&) { return work(request); },
                   [this](Result result) {
                       if (next_) {
                           start(*std::exchange(next_, {}));
                       }
                       done_(std::move(result));
                   });
    }

    BackgroundJob job_;
    Work work_;
    std::function<void(Result)> done_;
    std::optional<Request> next_;
};

}  // namespace rankscope::gui
