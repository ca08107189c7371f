// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/mesh/group_roles.h>
#include <remote/wire/nccl_event.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

/// What the collectives of a run took, made by CollectiveStats. Seconds; bytes per second. Ranks are those of the run,
/// communicators and functions are indexes into the report.

/// How fast a node is connected to the others.
struct LinkRate {
    double bytes_per_s = 0;   ///< one way, of all interfaces that NCCL uses; 0: not known
    std::string source = {};  ///< "mlx5_0, mlx5_1 of node1"

    bool operator==(const LinkRate&) const = default;
};

struct ReportCommunicator {
    CommunicatorHash id = {};
    std::string name = {};
    int ranks = 0;        ///< 0: not known
    bool closed = false;  ///< by all that were seen
    /// What it is for, "tp", and its number among those; empty: not known. See infer_mesh().
    std::string axis = {};
    int number = 0;
    std::vector<int> members = {};  ///< that were seen, ascending
};

/// All operations of one function and size in one communicator.
struct CollectiveRow {
    std::size_t communicator = 0;
    std::size_t communicators = 1;  ///< how many are merged here
    std::size_t function = 0;
    int size_class = 0;  ///< floor(log2(bytes))
    int ranks = 0;       ///< of the communicator; 0: not known
    std::size_t ranks_seen = 0;
    std::uint64_t operations = 0;  ///< of the rank with the most; of several communicators: together
    double bytes = 0;              ///< mean, as the call counts them
    double shortest_s = 0;
    double mean_s = 0;  ///< over all ranks
    double longest_s = 0;
    double spread_s = 0;             ///< between the means of the slowest and the fastest rank
    double transfer_s = 0;           ///< without waiting for who enters last: see CollectiveStats
    double algorithm_bandwidth = 0;  ///< payload / transfer_s; 0: not known
    double bus_bandwidth = 0;        ///< with the factor of nccl-tests
    int slowest_rank = -1;           ///< the longest mean time
    int last_rank = -1;         ///< much more often than others the last to enter; -1: none, or not known
    double last_share = 0;      ///< how often, of `matched`
    std::uint64_t matched = 0;  ///< operations that were seen of every rank
    double wait_share =
        0;  ///< of the time inside, that others had not entered; at least, where nothing is matched
    double network_share = 0;    ///< of the time inside, with a network operation
    double peer_wait_share = 0;  ///< of the time inside, that the network waited for a peer
    bool gpu_times = false;
    std::string algorithm = {};  ///< of most operations; empty: not known
    std::string protocol = {};
};

struct RecentOperation {
    std::size_t communicator = 0;
    std::size_t function = 0;
    std::uint64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::int64_t start_us = 0;  ///< by the desk's clock
    double seconds = 0;
    NcclPhase phase = NcclPhase::Finished;
    int peer = -1;
    bool point_to_point = false;
};

/// A list that never changes: a copy of it shares the memory.
class RecentOperations {
public:
    RecentOperations() = default;
    explicit RecentOperations(std::vector<RecentOperation> all)
        : all_(std::make_shared<const std::vector<RecentOperation>>(std::move(all))) {}

    std::size_t size() const { return all_ ? all_->size() : 0; }
    bool empty() const { return size() == 0; }
    const RecentOperation& operator[](std::size_t index) const { return (*all_)[index]; }
    const RecentOperation* begin() const { return all_ ? all_->data() : nullptr; }
    const RecentOperation* end() const { return begin() + size(); }

private:
    std::shared_ptr<const std::vector<RecentOperation>> all_;
};

/// A rank that has not entered what another one is inside of.
struct BehindOf {
    std::size_t communicator = 0;
    std::size_t function = 0;
    std::uint64_t entered = 0;  ///< its highest sequence number
    std::uint64_t wanted = 0;   ///< that of the oldest open operation of another rank
};

struct ReportRank {
    int rank = -1;
    std::uint64_t operations = 0;
    double inside_s = 0;     ///< inside NCCL, over all communicators; streams overlap
    double observed_s = 0;   ///< the time that the events cover
    double waited_s = 0;     ///< of it at least, that others had not entered
    std::uint64_t last = 0;  ///< matched operations that it entered last
    std::uint64_t matched = 0;
    std::uint64_t lost = 0;  ///< records that were overwritten
    int api_version = 0;
    std::string unavailable = {};            ///< see NcclEvent
    std::int64_t seen_us = 0;                ///< of its newest event
    RecentOperations recent = {};            ///< by their begin, oldest first
    std::int64_t last_end_us = 0;            ///< of those; 0: none
    std::vector<RecentOperation> open = {};  ///< oldest first, by its newest event
    std::vector<BehindOf> behind = {};
};

struct CollectiveReport {
    std::vector<std::string> functions;
    std::vector<ReportCommunicator> communicators;
    std::vector<CollectiveRow> rows;  ///< by communicator, function, size
    std::vector<ReportRank> ranks;    ///< by rank; those that were heard of
    LinkRate link;
    std::int64_t last_us = 0;
    std::uint64_t left_out = 0;  ///< totals for which there was no room
    bool without_start = false;  ///< operations of files that do not say when they began

    bool empty() const { return rows.empty() && ranks.empty(); }
    /// Whether any operation was seen, open ones too.
    bool has_operations() const;
    /// The share of the link's rate; 0: not known.
    double link_share(const CollectiveRow& row) const;
};

/// The rows of communicators of the same axis, name and size as one: 128 groups of 8 ranks are one row for each function and
/// size. `communicator` is that with the most operations.
std::vector<CollectiveRow> merge_alike(const CollectiveReport& report);
/// Fills axis and number in, of those whose ranks were all seen. `traffic`: of each. `world_size`: ranks of the run.
void name_axes(const std::vector<ReportCommunicator*>& communicators,
               const std::vector<GroupTraffic>& traffic, int world_size);
/// Other names for the ranks: old → new; every rank of the report has one.
void rename_ranks(CollectiveReport& report, const std::map<int, int>& names);

}  // namespace rankscope
