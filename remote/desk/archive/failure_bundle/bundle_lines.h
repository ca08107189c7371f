// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_lines.h>

#include <filesystem>

namespace rankscope::inline archive {

/// read_run_lines() of the run in a failure bundle. Failures: those of read_bundle().
Result<RunLines> read_bundle_lines(const std::filesystem::path& file, std::uint32_t first,
                                   const RunSink& sink, const std::stop_token& stop);

}  // namespace rankscope::inline archive
