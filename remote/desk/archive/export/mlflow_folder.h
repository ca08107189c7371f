// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/export/event_pass.h>

#include <filesystem>
#include <string>

namespace rankscope::inline archive {

/// A folder for `mlflow ui --backend-store-uri`: an experiment by the name of the run, in it a run for each rank with its
/// metrics, the epoch among them, and for each node with its telemetry, by seconds since the start. The job file is an
/// artifact of each rank: `job_text` is written as it is, without secrets.
/// Source: mlflow/store/tracking/file_store.py.
Result<void> export_mlflow_folder(const RunRecord& run, const std::string& job_text,
                                  const std::filesystem::path& folder, EventPasses passes);

}  // namespace rankscope::inline archive
