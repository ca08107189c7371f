// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>
#include <remote/desk/runs/run/unwatched_runs.h>
#include <remote/desk/runs/store/run_store.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ctl {

/// What is known of a run that the store calls running, after its nodes were asked.
struct Unfinished {
    NodesSay say;
    std::int64_t heard_us = 0;  ///< when the store last got something of it
};
using UnfinishedRuns = std::map<std::string, Unfinished>;  // by id

/// Asks the nodes of those that have not ended, for less than a second, without a question to the user. A run that has
/// ended meanwhile gets its end in the store and in its record, unless its nodes keep very much of it; that one, and
/// all that have not ended as far as is known, are returned.
UnfinishedRuns look_at_unfinished(const GlobalOptions& options, const std::shared_ptr<RunStore>& store,
                                  std::vector<RunRecord>& records);

/// "running", "done", or "not known since 11:17:45" where no node says it.
std::string outcome_text(const RunRecord& record, const UnfinishedRuns& unfinished);
/// Until when it is known to have run: its end, now, or the last that was heard of it.
std::int64_t known_until(const RunRecord& record, const UnfinishedRuns& unfinished);

}  // namespace rankscope::ctl
