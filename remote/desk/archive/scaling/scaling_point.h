// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline archive {

/// Where the time of a step goes, ms: medians over the steps of all ranks.
struct StepShares {
    double compute_ms = 0;
    double data_ms = 0;  ///< waiting for the next batch
    double comm_ms = 0;  ///< waiting for other ranks
    double other_ms = 0;
    double step_ms = 0;
};

/// One number of ranks.
struct ScalingPoint {
    int ranks = 0;
    std::string run_id;   ///< empty: it was not started
    std::string failure;  ///< why there is no throughput, one line; empty: there is one
    double throughput =
        std::numeric_limits<double>::quiet_NaN();            ///< of all ranks together: median after warm-up
    double low = std::numeric_limits<double>::quiet_NaN();   ///< a quarter of the steps is below
    double high = std::numeric_limits<double>::quiet_NaN();  ///< a quarter is above
    std::size_t steps = 0;                                   ///< measured
    double speedup =
        std::numeric_limits<double>::quiet_NaN();  ///< against the smallest size, which counts its ranks
    double efficiency = std::numeric_limits<double>::quiet_NaN();
    std::optional<StepShares> shares;  ///< nothing: the ranks do not report them
};

}  // namespace rankscope::inline archive
