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
            total_ += seq * static_cast<std::uint64_t>(passes);  // numbers have no gaps
        }
    }
}

Result<void> EventPasses::each(const std::function<void(const Event&)>& sink) {
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
