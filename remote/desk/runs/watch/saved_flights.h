// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/diagnosis/verdict.h>
#include <remote/logs/read/sources.h>
#include <remote/observe/flight_recorder/flight_dump.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// Dumps of PyTorch's Flight Recorder that lie in files, among logs or alone: "nccl_trace_rank_3", "rank_3",
/// "flight-3.json". The number behind "rank", else at the end of a name, is the rank; of two dumps of a rank the newer file
/// counts.
class SavedFlights {
public:
    /// Takes the dumps among what logs::read_raw_lines() reads, as long as this lives.
    logs::WholeSink sink();
    /// False: it is no dump, or its name has no rank. `modified_s`: Unix seconds of the file; 0: unknown.
    bool take(const std::string& name, std::int64_t modified_s, std::string_view bytes);

    /// After the last take(): leaves out what an earlier run left in the same folder. Those are ranks that the groups of the
    /// newest dump do not have, and files that were written before its first call.
    void leave_out_earlier_runs();
    /// The ranks whose dumps were left out, sorted.
    const std::vector<int>& of_earlier_runs() const { return earlier_; }

    bool empty() const { return dumps_.empty(); }
    const std::map<int, FlightDump>& dumps() const { return dumps_; }
    /// As the dumps state it, at least the ranks there are.
    int world_size() const;
    /// How the ranks differ, causes first. What did not end is standing where the file is much younger than the call.
    std::vector<CollectiveFinding> findings() const;
    /// Adds the verdict on what stands, if there is one: with the evidence of a verdict of the same name, the most
    /// certain first.
    void add_to(std::vector<Verdict>& verdicts) const;

private:
    std::optional<Verdict> without_dump() const;

    std::map<int, FlightDump> dumps_;
    std::map<int, std::int64_t> modified_s_;
    std::vector<int> earlier_;
};

/// The rank that the name of a dump's file has, or -1.
int rank_of_dump(std::string_view name);

}  // namespace rankscope::inline runs
