// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/desk/runs/watch/rank_directory.h>
#include <remote/observe/nccl_ras/ras_report.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// What NCCL's profiler has shown of each rank: how far it is in each communicator, and what has not ended.
class NcclCounters {
public:
    /// true: a rank has called, placed or ended another operation than before.
    bool observe(int rank, const NcclEvent& event, RankDirectory& directory);
    void clear() { ranks_.clear(); }

    /// The counts of what was called, in the form of RAS.
    RasReport report() const;
    /// Operations of one place that differ in size or type, and those that do not end though all ranks have called them.
    /// None of them is `standing`: only its caller knows how long it has been so.
    std::vector<CollectiveFinding> open_faults() const;

private:
    using Key = std::pair<std::uint64_t, std::string>;  ///< communicator and function
    struct Rank {
        std::map<std::uint64_t, NcclCommunicator> communicators;
        std::map<Key, NcclProgress> progress;
        std::vector<NcclOperation> open;
    };
    std::vector<int> members_of(std::uint64_t communicator) const;
    void add_differences(std::vector<CollectiveFinding>& found) const;
    void add_unfinished(std::vector<CollectiveFinding>& found) const;

    std::map<int, Rank> ranks_;
};

}  // namespace rankscope::inline runs
