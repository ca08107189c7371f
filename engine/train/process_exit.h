// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

/// How a rank ends: once, with one message, whichever thread notices first.
namespace rankscope::engine {

/// The first call writes `message` to stderr and, when it is not empty, torchrun's error file
/// (TORCHELASTIC_ERROR_FILE), and ends the process at once; a second call never returns either. `missing_rank`
/// (−1: none) is the rank whose loss is the reason; in the file it is extraInfo.missing_rank. No destructors run:
/// other threads may be blocked in a collective that will never end. Source of the file's shape:
/// torch.distributed.elastic's @record.
[[noreturn]] void end_process(int exit_code, const std::string& message, int missing_rank = -1);

/// From now on SIGTERM, SIGINT and SIGHUP end the process promptly with 128 + signal. Call before any thread
/// starts.
void end_on_signals();

}  // namespace rankscope::engine
