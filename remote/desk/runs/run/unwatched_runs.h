// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::inline runs {

/// What the nodes of a run say of it at one moment.
struct NodesSay {
    enum class State {
        Silent,  ///< not all of them have answered, and none says that it runs
        Runs,
        Ended,
        Gone  ///< they answer, and at least one no longer has the run
    };
    State state = State::Silent;
    Outcome outcome = Outcome::Running;  ///< of Ended: the worst of its nodes
    std::int64_t ended_us = 0;           ///< of Ended: the latest end of a node, by this computer's clock
    std::uint64_t spool_bytes = 0;       ///< that its nodes keep of it
    std::vector<std::string> silent;     ///< the nodes that have not answered
};

struct AskedRun {
    RunRecord record;
    NodesSay say;
};

/// Asks the nodes of runs that have not ended as far as the store knows, all at the same time, and nobody any question.
/// Returns after `limit_s`, whatever is missing. `sessions` may be null. Blocks.
std::vector<AskedRun> ask_nodes(const std::vector<RunRecord>& unfinished, const Inventory& inventory,
                                SessionPool* sessions, double limit_s, const std::stop_token& stop);

/// Reads what the nodes still have of a run that has ended into the store, with its end as it was. The record then; of a
/// run that has not ended within `limit_s` it says so. Blocks.
Result<RunRecord> settle_run(const std::shared_ptr<RunStore>& store, const std::string& run_id,
                             const Inventory& inventory, double limit_s, const std::stop_token& stop);

}  // namespace rankscope::inline runs
