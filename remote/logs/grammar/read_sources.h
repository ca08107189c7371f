// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>
#include <remote/logs/read/sources.h>

#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::logs {

/// Reads logs (see read_raw_lines()) and gives each line with what its prefixes say, in the order of the
/// sources, on the caller's thread.
SourceList read_sources(const std::vector<std::string>& paths, const ReadOptions& options,
                        const LineSink& sink, const ProgressSink& progress = {},
                        const std::stop_token& stop = {}, const WholeSink& whole = {});

}  // namespace rankscope::logs
