// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/ctl/local_time.h>
#include <remote/ctl/unfinished_runs.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/runs/store/last_heard.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ctl {
namespace {

constexpr double kAskWithin = 0.7;     // seconds for all nodes together
constexpr double kSettleWithin = 1.5;  // and for all runs that have ended
constexpr std::uint64_t kQuicklyRead = 8U << 20U;

using State = NodesSay::State;

}  // namespace

UnfinishedRuns look_at_unfinished(const GlobalOptions& options, const std::shared_ptr<RunStore>& store,
                                  std::vector<RunRecord>& records) {
    UnfinishedRuns unfinished;
    std::vector<RunRecord> open;
    std::copy_if(records.begin(), records.end(), std::back_inserter(open),
                 [](const RunRecord& record) { return record.outcome == Outcome::Running; });
    if (open.empty()) {
        return unfinished;
    }
    const auto read = read_inventory(options.inventory_path(), false);
    const double until = monotonic_s() + kSettleWithin;
    for (auto& asked : ask_nodes(open, read.inventory, nullptr, kAskWithin, {})) {
        const std::string& run_id = asked.record.run_id;
        const double left = until - monotonic_s();
        if (asked.say.state == State::Ended && asked.say.spool_bytes < kQuicklyRead && left > 0) {
            auto settled = settle_run(store, run_id, read.inventory, left, {});
            if (settled && settled->outcome != Outcome::Running) {
                const auto record = std::find_if(records.begin(), records.end(),
                                                 [&](const RunRecord& one) { return one.run_id == run_id; });
                *record = std::move(*settled);
                continue;
            }
        }
        unfinished[run_id] = {std::move(asked.say), last_heard_us(options.store_path(), run_id)};
    }
    return unfinished;
}

std::string outcome_text(const RunRecord& record, const UnfinishedRuns& unfinished) {
    const auto found = unfinished.find(record.run_id);
    if (found == unfinished.end()) {
        return to_string(record.outcome);
    }
    const auto& [say, heard_us] = found->second;
    switch (say.state) {
        case State::Runs:
            return to_string(Outcome::Running);
        case State::Ended:
            return to_string(say.outcome);
        case State::Silent:
        case State::Gone:
            break;
    }
    return text("UnfinishedRuns", "not known since %1",
                {local_time_text(heard_us != 0 ? heard_us : record.started_us)});
}

std::int64_t known_until(const RunRecord& record, const UnfinishedRuns& unfinished) {
    if (record.ended_us != 0) {
        return record.ended_us;
    }
    const auto found = unfinished.find(record.run_id);
    if (found == unfinished.end() || found->second.say.state == State::Runs) {
        return now_us();
    }
    const auto& [say, heard_us] = found->second;
    return std::max({record.started_us, heard_us, say.ended_us});
}

}  // namespace rankscope::ctl
