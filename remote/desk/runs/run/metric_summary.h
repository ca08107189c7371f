// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The last values of one metric, over the ranks that report it.
struct MetricSummary {
    std::string name;
    std::vector<int> ranks;  ///< that report it, ascending; never empty
    double last = 0;         ///< of the first of them; may be NaN or infinite
    double min = 0;          ///< min, mean and max are over the finite values; NaN when there are none
    double mean = 0;
    double max = 0;
    std::size_t not_finite = 0;  ///< ranks whose last value is NaN or infinite
};

/// One per metric, in the order of first report.
std::vector<MetricSummary> summarize_metrics(const RunState& state);

/// "all ranks", "rank 0", "ranks 0–3, 8": `ranks` ascending, of `count` in all.
std::string ranks_text(const std::vector<int>& ranks, std::size_t count);

}  // namespace rankscope::inline runs
