// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/lane_schedule.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::engine::cuda {
namespace {

/// How far each lane has come when an operation begins: its last operation that has surely ended.
using Progress = std::array<std::optional<std::size_t>, kLanes>;

void join(Progress& into, const Progress& other) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        into[lane] = std::max(into[lane], other[lane]);  // nothing is less than any number
    }
}

std::size_t index_of(Lane lane) {
    return static_cast<std::size_t>(lane);
}

}  // namespace

bool conflict(const std::vector<MemoryTouch>& a, const std::vector<MemoryTouch>& b) {
    return std::any_of(a.begin(), a.end(), [&](const MemoryTouch& one) {
        return std::any_of(b.begin(), b.end(), [&](const MemoryTouch& other) {
            return (one.writes || other.writes) && one.begin < other.end && other.begin < one.end;
        });
    });
}

std::vector<std::vector<std::size_t>> lane_waits(const std::vector<LaneOperation>& operations) {
    std::vector<std::vector<std::size_t>> waits(operations.size());
    std::vector<Progress> after(operations.size());
    Progress so_far[kLanes];
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::size_t own = index_of(operations[i].lane);
        Progress& progress = so_far[own];
        // Latest first: waiting for it may make others needless.
        for (std::size_t j = i; j-- > 0;) {
            const std::size_t other = index_of(operations[j].lane);
            const bool ended = other == own || (progress[other] && *progress[other] >= j);
            if (!ended && conflict(operations[i].touches, operations[j].touches)) {
                waits[i].push_back(j);
                join(progress, after[j]);
            }
        }
        progress[own] = i;
        after[i] = progress;
    }
    return waits;
}

}  // namespace rankscope::engine::cuda
