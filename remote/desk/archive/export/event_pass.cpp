// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/export/event_pass.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunExport";
constexpr std::uint64_t kReportEvery = 4096;

}  // namespace

EventPasses::EventPasses(const RunStore& store, std::string run_id, int passes, ExportProgress progress,
                         std::stop_token stop)
    : store_(store), run_id_(std::move(run_id)), progress_(std::move(progress)), stop_(std::move(stop)) {
    if (const auto last = store_.last_seqs(run_id_)) {
        for (const auto& [node, seq] : *last) {
            total_ += seq * static_cast<std::uint64_t>(passes + 1);  // numbers have no gaps
        }
    }
}

Result<void> EventPasses::find_voids() {
    std::uint64_t number = 0;
    auto read = replay([&](const Event& event) {
        ++number;
        const auto* metric = event.as<MetricEvent>();
        if (metric != nullptr && metric->voids_after) {
            for (const auto& [name, value] : metric->values) {
                voids_[{event.rank, name}].push_back({number, *metric->voids_after});
            }
        }
    });
    for (auto& [name, voids] : voids_) {
        for (std::size_t i = voids.size() - 1; i-- > 0;) {
            voids[i].after = std::min(voids[i].after, voids[i + 1].after);
        }
    }
    return read;
}

bool EventPasses::is_void(std::uint64_t number, int rank, const std::string& name, std::int64_t step) const {
    const auto found = voids_.find({rank, name});
    if (found == voids_.end()) {
        return false;
    }
    const auto next = std::upper_bound(found->second.begin(), found->second.end(), number,
                                       [](std::uint64_t at, const Void& one) { return at < one.number; });
    return next != found->second.end() && step > next->after;
}

Result<void> EventPasses::each(const std::function<void(const Event&)>& sink) {
    if (!voids_known_) {
        voids_known_ = true;
        if (auto read = find_voids(); !read) {
            return read;
        }
    }
    if (voids_.empty()) {
        return replay(sink);
    }
    std::uint64_t number = 0;
    return replay([&](const Event& event) {
        ++number;
        const auto* metric = event.as<MetricEvent>();
        const auto replaced = [&](const auto& value) {
            return is_void(number, event.rank, value.first, metric->step);
        };
        if (metric == nullptr || std::none_of(metric->values.begin(), metric->values.end(), replaced)) {
            sink(event);
            return;
        }
        Event kept = event;
        std::erase_if(std::get<MetricEvent>(kept.body).values, replaced);
        sink(kept);
    });
}

Result<void> EventPasses::replay(const std::function<void(const Event&)>& sink) {
    bool stopped = false;
    auto replayed = store_.replay(run_id_, [&](const Event& event) {
        sink(event);
        if (++done_ % kReportEvery == 0 && progress_) {
            progress_(done_, std::max(done_, total_));
        }
        stopped = stop_.stop_requested();
        return !stopped;
    });
    if (replayed && stopped) {
        return Failure{.code = "cancelled", .what = text(kContext, "Cancelled: nothing was written.")};
    }
    return replayed;
}

}  // namespace rankscope::inline archive
