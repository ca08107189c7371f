// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/observe/nccl_activity/collective_report.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <functional>
#include <string>

namespace rankscope {
class CollectiveStats;
}

namespace rankscope::inline runs {

class RunStore;

/// What the collectives of a stored run took in a part of its time, both ends included: of its events that overlap with
/// it. They go into `stats`, which may take more, and to `sink`, which returns false to end the reading.
Result<CollectiveReport> read_activity(const RunStore& store, const std::string& run_id, std::int64_t from_us,
                                       std::int64_t until_us, CollectiveStats& stats,
                                       const std::function<bool(const Event&)>& sink);

}  // namespace rankscope::inline runs
