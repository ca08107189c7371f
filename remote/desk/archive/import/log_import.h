// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/import/run_import.h>

namespace rankscope::inline archive {

/// Logs of one run: each line goes to the rank that its prefix, its file's name or its folder names, else to rank 0;
/// metrics are read from the lines as they are live, and the cause of a failure is diagnosed. Lines without a time have
/// that of the line before in their file, else that of the first line of all.
Result<std::string> import_logs(RunStore& store, const std::filesystem::path& path,
                                const ImportProgress& progress, const std::stop_token& stop);

}  // namespace rankscope::inline archive
