// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/import/run_import.h>

namespace rankscope::inline archive {

/// Whether there is an event file below the folder.
bool holds_event_files(const std::filesystem::path& folder);

/// TensorBoard event files below the folder. Each folder of event files becomes a run of one rank; folders that are
/// named after ranks ("rank0", "rank_1", "2") become the ranks of one run, and "node-NAME" beside them the telemetry of
/// a node, as `runs export` writes it. A file is read up to its first damaged record.
Result<std::vector<std::string>> import_event_files(RunStore& store, const std::filesystem::path& folder,
                                                    const ImportProgress& progress,
                                                    const std::stop_token& stop);

}  // namespace rankscope::inline archive
