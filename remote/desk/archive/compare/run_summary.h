// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_curves.h>
#include <remote/desk/runs/store/run_store.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline archive {

/// What lists and comparisons show of a run without its curves: computed once, then kept in the run store.
struct RunSummary {
    std::vector<std::pair<std::string, MetricStats>> metrics;  ///< in the order of first report
    std::map<std::string, std::string> job;                    ///< job_values()
    std::string verdict;  ///< title of the most likely cause; empty: none
    std::string verdict_id;
    std::string code;  ///< code_text(); empty: git knew nothing of it
    double last_step = -1;

    const MetricStats* metric(const std::string& name) const;
};

RunSummary summary_of(const RunCurves& curves, const RunRecord& record);
std::string to_text(const RunSummary& summary);
/// Nothing for text that is damaged or of another version.
std::optional<RunSummary> summary_from_text(const std::string& text);

/// Reads all metric events of a run. Failures: the store cannot be read; "cancelled".
Result<RunCurves> read_curves(const RunStore& store, const RunRecord& record,
                              const std::stop_token& stop = {});
/// Reads the events of a run; what is kept is not used.
Result<RunSummary> summarize_run(const RunStore& store, const RunRecord& record,
                                 const std::stop_token& stop = {});

using SummarySink = std::function<void(const std::string& run_id, std::shared_ptr<const RunSummary> summary)>;
/// The summaries of these runs: kept ones first, then the others, newest first, which are computed and kept
/// where the run is over. A run that cannot be read is left out; the first such failure is returned at the end.
Result<void> load_summaries(RunStore& store, const std::vector<RunRecord>& runs, const SummarySink& sink,
                            const std::stop_token& stop = {});

}  // namespace rankscope::inline archive
