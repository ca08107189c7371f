// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_range.h>
#include <gui/on_thread.h>
#include <remote/desk/runs/store/run_activity.h>
#include <remote/observe/nccl_activity/collective_stats.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace rankscope::gui {

struct NcclRange::Sums {
    /// The store and the link may both bring an event.
    void take(const Event& event) {
        std::uint64_t& last = last_seq[event.node];
        if (event.seq > 0 && event.seq <= last) {
            return;
        }
        last = event.seq;
        if (const auto* activity = event.as<NcclEvent>()) {
            stats.take(event.rank, event.t_us, *activity);
        }
    }

    CollectiveStats stats;
    std::map<std::string, std::uint64_t> last_seq;
};

NcclRange::NcclRange(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {
    timer_.setInterval(kEveryMs);
    connect(&timer_, &QTimer::timeout, this, &NcclRange::read_pending);
}

NcclRange::~NcclRange() = default;

void NcclRange::set_run(LiveModel* model, std::shared_ptr<RunStore> store) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (run_) {
        run_->disconnect(this);
    }
    run_ = model;
    store_ = std::move(store);
    if (run_) {
        connect(run_, &LiveModel::outputArrived, this, &NcclRange::take);
    }
    span_ = {};
    read_stored();
}

void NcclRange::set_span(const TimeSpan& span) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (span != span_) {
        span_ = span;
        read_stored();
    }
}

void NcclRange::read_stored() {
    job_.cancel();
    timer_.stop();
    pending_.clear();
    too_many_ = false;
    sums_.reset();
    if (std::exchange(report_, nullptr)) {
        emit changed();
    }
    if (!run_ || !is_set()) {
        return;
    }
    timer_.start();
    job_.start(
        [store = store_, id = run_->state().run_id, span = span_](const JobHandle& job) {
            auto sums = std::make_shared<Sums>();
            if (store) {
                // What cannot be read is missing here as it is in the whole run.
                (void)read_activity(*store, id, span.from_us, span.until_us, sums->stats,
                                    [&](const Event& event) {
                                        std::uint64_t& last = sums->last_seq[event.node];
                                        last = std::max(last, event.seq);
                                        return !job.cancelled();
                                    });
            }
            return std::pair(sums, sums->stats.report());
        },
        [this](auto read) { arrived(std::move(read.first), std::move(read.second)); });
}

void NcclRange::arrived(std::shared_ptr<Sums> sums, CollectiveReport report) {
    sums_ = std::move(sums);
    report.link = link_;
    report_ = std::make_shared<const CollectiveReport>(std::move(report));
    emit changed();
}

void NcclRange::set_link(const LinkRate& link) {
    if (link == link_) {
        return;
    }
    link_ = link;
    if (report_) {
        arrived(std::move(sums_), *report_);
    }
}

void NcclRange::take(const Event& event) {
    const auto* activity = event.as<NcclEvent>();
    if (!is_set() || activity == nullptr || !activity->overlaps(event.t_us, span_.from_us, span_.until_us)) {
        return;
    }
    if (pending_.size() == kMostPending) {
        too_many_ = true;
        return;
    }
    pending_.push_back(event);
}

void NcclRange::read_pending() {
    if (job_.running() || !sums_ || pending_.empty()) {
        return;
    }
    if (too_many_) {
        read_stored();
        return;
    }
    job_.start(
        [sums = std::exchange(sums_, nullptr), events = std::exchange(pending_, {})](const JobHandle&) {
            for (const Event& event : events) {
                sums->take(event);
            }
            return std::pair(sums, sums->stats.report());
        },
        [this](auto read) { arrived(std::move(read.first), std::move(read.second)); });
}

}  // namespace rankscope::gui
