// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/edge_texts.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/diagnosis/verdict.h>
#include <remote/logs/facts/run_facts.h>
#include <remote/logs/fold/folded_rows.h>
#include <remote/logs/read/remark.h>
#include <remote/logs/story/host_clocks.h>
#include <remote/logs/verdicts/timeline.h>
#include <remote/observe/nccl_activity/collective_report.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the lines of a run, or of logs from elsewhere, say of NCCL. Immutable once it is shared between threads.
struct ReadingSnapshot {
    std::vector<std::string> sources;  ///< names, by LinePlace::file
    std::vector<int> source_ranks;     ///< of a run: whose output each source is; empty: files
    logs::RunFacts facts;
    EdgeTexts edge_texts;
    std::shared_ptr<const logs::FoldedRows> folded;  ///< the same line of all ranks once; null: no line yet
    std::shared_ptr<const CollectiveReport>
        collectives;                    ///< of the plugin, else of NCCL Inspector; null: nothing
    bool collectives_of_lines = false;  ///< of NCCL Inspector, for the whole run only
    std::uint64_t lines_read = 0;       ///< of all programs
    std::uint64_t gloo_lines = 0;
    std::uint64_t output_left_out = 0;  ///< bytes that came faster than they can be read
    bool complete = false;              ///< everything was read, and the run is over

    // Only of complete ones: nothing is added to what they share.
    std::vector<Verdict> verdicts = {};  ///< of the log rules; the root cause first
    std::vector<logs::TimelineEntry> timeline = {};
    logs::HostClocks clocks = {};            ///< of the hosts of files
    std::vector<logs::Remark> remarks = {};  ///< what was not read, of files
    /// Dumps among the files; never null.
    std::shared_ptr<const SavedFlights> flights = std::make_shared<const SavedFlights>();
};

}  // namespace rankscope::inline runs
