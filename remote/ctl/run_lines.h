// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/diagnosis/verdict.h>
#include <remote/logs/grammar/log_line.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope {

class RunStore;

}  // namespace rankscope

namespace rankscope::ctl {

/// A run of the store, as a diagnosis reads it.
struct RunLines {
    std::vector<std::string> sources;  ///< "RUN/rank3": what rank 3 printed, its first line is line 1
    std::vector<Verdict> verdicts;     ///< what the run itself said at its end
};

/// Gives every line that the ranks of a stored run printed to the sink, those of one rank in order; `first` is the
/// place of the first source in the list of all. Failure: there is no such run, or the store cannot be read.
Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const logs::LineSink& sink, const std::stop_token& stop);

}  // namespace rankscope::ctl
