// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/store_backlog.h>
#include <remote/wire/event_json.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::inline runs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{500};
constexpr std::chrono::milliseconds kLongestPause{30000};
constexpr std::chrono::milliseconds kMoment{200};  ///< the window waits for the next events that long
constexpr std::size_t kPieceEvents = 2000;
constexpr std::size_t kPieceBytes = std::size_t(2) << 20U;

// In memory, about.
std::size_t bytes_of(const Event& event) {
    std::size_t bytes = sizeof(Event) + event.node.size();
    const auto add_pairs = [&bytes](const auto& pairs) {
        for (const auto& [name, value] : pairs) {
            bytes += name.size() + sizeof(pairs.front());
        }
    };
    if (const auto* log = event.as<LogEvent>()) {
        bytes += log->text.size();
    } else if (const auto* metric = event.as<MetricEvent>()) {
        add_pairs(metric->values);
        for (const auto& [name, value] : metric->texts) {
            bytes += name.size() + value.size();
        }
    } else if (const auto* sample = event.as<SampleEvent>()) {
        add_pairs(sample->values);
    } else {
        bytes += body_to_json(event.body).size();
    }
    return bytes;
}

}  // namespace

StoreBacklog::StoreBacklog(std::string run_id, std::shared_ptr<RunStore> store)
    : run_id_(std::move(run_id)), store_(std::move(store)) {}

void StoreBacklog::set_plan(const LaunchPlan& plan) {
    if (store_) {
        plan_ = plan;
        if (!refused_ && store_->set_plan(run_id_, plan)) {
            plan_.reset();
        }
    }
}

std::optional<Clock::time_point> StoreBacklog::next_try() const {
    return empty() ? std::nullopt : std::optional(next_try_);
}

StoreBacklog::News StoreBacklog::store(std::vector<Event>& events, When when) {
    News news;
    if (!store_) {
        events.clear();
        return news;
    }
    std::erase_if(events, [this](const Event& event) { return cut_.count(event.node) > 0; });
    Result<void> written;
    if (empty() && !refused_ && !events.empty()) {
        written = store_->append(run_id_, events);
        if (written) {
            events.clear();
        }
    }
    for (auto& event : events) {
        keep(std::move(event));
    }
    events.clear();
    if (!empty() && written && (when == When::Now || Clock::now() >= next_try_)) {
        written = write(when);
        if (written && empty()) {
            pause_ = {};
            news.recovered = std::exchange(refused_, false);
        }
    }
    if (!written) {
        pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
        next_try_ = Clock::now() + pause_;
        if (!std::exchange(refused_, true)) {
            news.failed = written.failure();
        }
    }
    bound(news);
    return news;
}

Result<void> StoreBacklog::write(When when) {
    if (plan_) {
        if (auto done = store_->set_plan(run_id_, *plan_); !done) {
            return done;
        }
        plan_.reset();
    }
    const auto until = Clock::now() + kMoment;
    while (!waiting_.empty() && (when == When::Now || Clock::now() < until)) {
        if (auto done = write_piece(); !done) {
            return done;
        }
    }
    return {};
}

Result<void> StoreBacklog::write_piece() {
    std::vector<Event> piece;
    std::size_t bytes = 0;
    std::size_t count = 0;
    for (; count < std::min(waiting_.size(), kPieceEvents) && bytes < kPieceBytes; ++count) {
        bytes += waiting_[count].bytes;
        piece.push_back(std::move(waiting_[count].event));
    }
    auto done = store_->append(run_id_, piece);
    if (!done) {
        for (std::size_t i = 0; i < count; ++i) {
            waiting_[i].event = std::move(piece[i]);
        }
        return done;
    }
    for (std::size_t i = 0; i < count; ++i) {
        node_bytes_[piece[i].node] -= waiting_[i].bytes;
    }
    bytes_ -= bytes;
    waiting_.erase(waiting_.begin(), std::next(waiting_.begin(), static_cast<std::ptrdiff_t>(count)));
    return done;
}

void StoreBacklog::keep(Event event) {
    const std::size_t bytes = bytes_of(event);
    bytes_ += bytes;
    node_bytes_[event.node] += bytes;
    waiting_.push_back({std::move(event), bytes});
}

void StoreBacklog::bound(News& news) {
    while (bytes_ > kMostBytes) {
        // The desk's own events are few and no spool has them.
        const std::string* most = nullptr;
        std::size_t bytes = 0;
        for (const auto& [node, of_node] : node_bytes_) {
            if (!node.empty() && of_node > bytes) {
                most = &node;
                bytes = of_node;
            }
        }
        if (most == nullptr) {
            return;
        }
        news.cut.push_back(*most);
        cut_off(news.cut.back());
    }
}

void StoreBacklog::cut_off(const std::string& node) {
    const auto is_of_node = [&node](const Waiting& waiting) { return waiting.event.node == node; };
    const auto first = std::find_if(waiting_.begin(), waiting_.end(), is_of_node);
    cut_[node] = first != waiting_.end() ? first->event.seq : 0;
    std::erase_if(waiting_, is_of_node);
    bytes_ -= node_bytes_[node];
    node_bytes_.erase(node);
}

}  // namespace rankscope::inline runs
