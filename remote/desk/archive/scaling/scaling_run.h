// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/scaling/scaling_result.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/run/log_share.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::inline archive {

struct ScalingRequest {
    Inventory inventory;
    Job job;
    std::vector<int> ranks;  ///< empty: scaling_sizes() of what the nodes offer
    double seconds = 60;     ///< of each size, from its first step
    ScalingMode mode = ScalingMode::Weak;
    std::string parent;                                 ///< id of the run whose job it is; empty: none
    std::uint64_t log_limit = LogShare::kDefaultLimit;  ///< bytes of each run's output that are kept
};

struct ScalingProgress {
    std::size_t size = 0;   ///< which one runs now, from 0
    std::size_t sizes = 0;  ///< of how many
    int ranks = 0;
    std::string run_id;
    double measured_s = -1;       ///< since its first step; negative: not there yet
    const ScalingResult& so_far;  ///< rated
};

/// Runs the job with each number of ranks, one after the other, and measures them. The runs are stored with
/// the result's tag. `progress` comes about four times a second, on the caller's thread. A size that fails is in the
/// result with its verdict, and the next one starts. A stop ends the current size cleanly and returns what there is.
/// Failures: nothing could be started at all (job, nodes, store). Blocks.
Result<ScalingResult> run_scaling(const ScalingRequest& request, const std::shared_ptr<RunStore>& store,
                                  const std::filesystem::path& store_file, const Prompter& prompter,
                                  const std::function<void(const ScalingProgress&)>& progress,
                                  const std::stop_token& stop);

}  // namespace rankscope::inline archive
