// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A node's part of a run that this computer has not started.
struct RunPart {
    NodeSpec node;
    NodeRun run;
};

/// Reads a run into the store, so that it can be attached to. On a job's thread; `progress` gets the number of events.
Result<void> adopt_parts(RunStore& store, const Prompter& prompter, const std::vector<RunPart>& parts,
                         const JobHandle& handle, const std::function<void(std::uint64_t)>& progress);

/// The parts of a run that `node` has: its own, and those of the nodes in `others` that the run names, where they answer.
Result<std::vector<RunPart>> find_parts(const std::string& run_id, const NodeSpec& node,
                                        const std::vector<NodeSpec>& others, const Prompter& prompter,
                                        const JobHandle& handle);

}  // namespace rankscope::gui
