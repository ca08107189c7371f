// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/runs/store/run_store.h>

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Where a run is read from. `connection` serves only this from now on: it delivers the run's later events as well.
struct AdoptedNode {
    std::string name;  ///< of the inventory
    NodeRun run;
    NodeConnection* connection = nullptr;
};

/// Makes a run that another computer started one of this store, with every event that these nodes still have, so that
/// RunController::attach() continues with it. The plan has these nodes and the ranks seen on them; the job file stays
/// with the computer that started the run. A run that the store has already is left as it is. Nothing is kept when it
/// fails or is stopped ("cancelled"). `progress` gets the number of events read. Blocks.
Result<void> adopt_run(RunStore& store, const std::vector<AdoptedNode>& nodes,
                       const std::function<void(std::uint64_t)>& progress, const std::stop_token& stop);

}  // namespace rankscope::inline runs
