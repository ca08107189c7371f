// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/diagnosis/verdict.h>
#include <remote/logs/grammar/log_line.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope {

class RunStore;

/// Events of a run → the lines that its ranks printed. Each rank is a source, numbered in the order of their first
/// lines. One thread at a time.
class RunOutput {
public:
    /// `first`: the place of the first source in a list of all.
    RunOutput(std::string run_id, std::uint32_t first, logs::LineSink sink);
    ~RunOutput();
    RunOutput(const RunOutput&) = delete;
    RunOutput& operator=(const RunOutput&) = delete;

    /// Events that are no output of a rank are ignored.
    void take(const Event& event);

    /// "RUN/rank3": what rank 3 printed, its first line is line 1.
    const std::vector<std::string>& sources() const { return sources_; }
    /// The rank of each source.
    const std::vector<int>& ranks() const { return ranks_; }

private:
    class OfRank;

    std::string run_id_;
    std::uint32_t first_;
    logs::LineSink sink_;
    std::vector<std::string> sources_;
    std::vector<int> ranks_;
    std::map<int, std::unique_ptr<OfRank>> of_rank_;
};

/// A run of the store, as a diagnosis reads it.
struct RunLines {
    std::vector<std::string> sources;  ///< see RunOutput
    std::vector<Verdict> verdicts;     ///< what the run itself said at its end
};

/// Gives every line that the ranks of a stored run printed to the sink, those of one rank in order; `first` is the
/// place of the first source in the list of all. Failure: there is no such run, or the store cannot be read.
Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const logs::LineSink& sink, const std::stop_token& stop);

}  // namespace rankscope
