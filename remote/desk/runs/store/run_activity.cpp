// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_activity.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/observe/nccl_activity/collective_stats.h>

#include <algorithm>
#include <limits>

namespace rankscope::inline runs {
namespace {

bool someone_is_behind(const CollectiveReport& report) {
    return std::any_of(report.ranks.begin(), report.ranks.end(),
                       [](const ReportRank& rank) { return !rank.behind.empty(); });
}

}  // namespace

Result<CollectiveReport> read_activity(const RunStore& store, const std::string& run_id, std::int64_t from_us,
                                       std::int64_t until_us, CollectiveStats& stats,
                                       const std::function<bool(const Event&)>& sink) {
    bool stopped = false;
    auto read = store.replay_activity(run_id, from_us, until_us, [&](const Event& event) {
        stats.take(event.rank, event.t_us, *event.as<NcclEvent>());
        return !(stopped = !sink(event));
    });
    CollectiveReport report = stats.report();
    constexpr auto kBegin = std::numeric_limits<std::int64_t>::min();
    if (!read || stopped || from_us == kBegin || !someone_is_behind(report)) {
        return read ? Result<CollectiveReport>(std::move(report)) : read.failure();
    }
    // A rank may have entered before what it seems not to have entered.
    read = store.replay_activity(run_id, kBegin, from_us - 1, [&](const Event& event) {
        stats.take_earlier(event.rank, *event.as<NcclEvent>());
        return sink(event);
    });
    return read ? Result<CollectiveReport>(stats.report()) : read.failure();
}

}  // namespace rankscope::inline runs
