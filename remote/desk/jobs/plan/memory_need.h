// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::inline jobs {

/// What a rank of the native engine needs of its GPU, and what the GPU with the least room has.
struct MemoryNeed {
    engine::MemoryEstimate needed;
    std::int64_t batch_size = 0;
    std::string node;         ///< of that GPU
    std::string gpu;          ///< "NVIDIA H200"
    std::uint64_t there = 0;  ///< bytes; of a GPU that ranks share, the share of one

    bool fits() const { return needed.total() <= there; }
    /// The largest power of two that fits, at most `batch_size`; 0: not even one sample.
    std::int64_t fitting_batch() const;
};

/// Nothing where one side is unknown: a program of the user, no rank on a GPU, a node not probed.
std::optional<MemoryNeed> memory_need(const LaunchPlan& plan, const KnownFacts& facts);

/// For the plan's notes; empty: it fits, or it is not known.
std::string memory_note(const std::optional<MemoryNeed>& need);

}  // namespace rankscope::inline jobs
