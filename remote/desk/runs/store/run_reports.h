// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/preflight/kept_report.h>

#include <filesystem>
#include <memory>
#include <string>

namespace rankscope::inline runs {

// The last preflight of a run: of its start, or for a verdict. Any thread.

/// Remembers the report for the window and the run store, as long as this program runs and some more runs do not
/// follow.
void remember_report(const std::string& run_id, KeptReport report);
/// Null: this program has none of the run.
std::shared_ptr<const KeptReport> remembered_report(const std::string& run_id);

/// Writes it to the file of an opened RunStore that has the run, instead of an earlier one.
Result<void> store_report(const std::filesystem::path& store, const std::string& run_id,
                          const KeptReport& report);
/// Null: the store has none of the run.
Result<std::shared_ptr<const KeptReport>> stored_report(const std::filesystem::path& store,
                                                        const std::string& run_id);

}  // namespace rankscope::inline runs
