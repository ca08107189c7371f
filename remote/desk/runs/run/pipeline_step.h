// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::inline runs {

/// A pass of a rank, µs from the begin of the update's first pass.
struct PlacedPass {
    int micro_batch = 0;
    bool forward = true;
    double begin_us = 0;
    double length_us = 0;
};

/// One update of one pipeline, as its ranks have reported it.
struct PipelineStep {
    struct Stage {
        int rank = -1;
        std::vector<PlacedPass> passes = {};
        double busy_us = 0;
    };
    std::int64_t step = -1;
    std::vector<Stage> stages = {};  ///< the first one first
    double length_us = 0;            ///< from the first pass to the end of the last one
    /// The share of that time that a stage waits, over all stages: the bubble, and what unequal stages add to it.
    double waiting = 0;
    int longest = 0;  ///< the stage that computes longest
};

/// The newest update that all ranks of the pipeline have reported; `rank`: one of them. Nothing: none, or the run has no
/// pipelines. Nodes' clocks and the way of a line move a row by about a millisecond.
std::optional<PipelineStep> newest_step(const RunState& run, const RunMesh& mesh, int rank);
/// Whether any rank has reported passes.
bool has_passes(const RunState& run);

}  // namespace rankscope::inline runs
