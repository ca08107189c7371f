// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/export/event_pass.h>

#include <filesystem>

namespace rankscope::inline archive {

/// The metrics of all ranks as a table (RFC 4180): t_us (since 1970, by the desk's clock), seconds (since the run's
/// start), node, rank, step, epoch, then a column for each metric, in the order of their first report. A row for each
/// report; a field without a value is empty, not-a-number is "nan", infinite is "inf" or "-inf". With more than 2000 names the
/// last columns are metric and value, with a row for each value. Reads the run twice.
Result<void> export_metrics_csv(const RunRecord& run, const std::filesystem::path& path, bool replace,
                                EventPasses passes);

/// The telemetry of all nodes: t_us, seconds, node, key, value (keys: remote/wire/sample_keys.h).
Result<void> export_telemetry_csv(const RunRecord& run, const std::filesystem::path& path, bool replace,
                                  EventPasses passes);

}  // namespace rankscope::inline archive
