// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/runs/watch/reached_nodes.h>

#include <optional>
#include <string>

namespace rankscope::inline runs {

/// Which node reaches those of a run that a launcher has submitted; nothing: the desk has a connection to each.
std::optional<ThroughNode> through_node(const Job& job, const Inventory& inventory,
                                        const std::string& run_id);

}  // namespace rankscope::inline runs
