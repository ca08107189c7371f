// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/export/event_pass.h>

#include <filesystem>
#include <string>

namespace rankscope::inline archive {

/// A folder for `tensorboard --logdir`: "rank3" with the metrics of rank 3, "node-NAME" with a node's telemetry (its
/// steps are seconds since the start). Reports without a step stand at the rank's last one;
/// the epoch is a tag. The job file and the end
/// are texts of the first rank. `job_text` is shown as it is: without secrets.
Result<void> export_event_files(const RunRecord& run, const std::string& job_text,
                                const std::filesystem::path& folder, EventPasses passes);

}  // namespace rankscope::inline archive
