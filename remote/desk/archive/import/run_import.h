// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// How far files were read, in bytes, on the caller's thread; not more often than every few megabytes.
using ImportProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Adds what another program left to the run store, and returns the ids of the new runs: a failure bundle; a folder of
/// TensorBoard event files; logs of one run as `diagnose` reads them (folders of torchrun's --log-dir, files,
/// archives). Failures: nothing there can be read, a bundle's run is there already, cancelled. What failed is not in
/// the store.
Result<std::vector<std::string>> import_runs(RunStore& store, const std::filesystem::path& path,
                                             const ImportProgress& progress = {},
                                             const std::stop_token& stop = {});

}  // namespace rankscope::inline archive
