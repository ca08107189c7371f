// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>
#include <remote/wire/nccl_event.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope {

/// What NCCL's operations took, from the events of all ranks or from lines of NCCL Inspector. Memory is bounded: sums
/// by communicator, function, size and rank, and the newest operations of each rank.
///
/// All ranks leave a synchronizing collective (ends_together()) at the same time, so who was inside for the shortest
/// time entered last, and what the others were inside longer they waited. Neither needs synchronous clocks. Operations
/// that were seen of every rank say it exactly; else the rank with the shortest mean is a lower bound, and the
/// bandwidth is that of its time.
class CollectiveStats {
public:
    /// `t_us`: of the event.
    void take(int rank, std::int64_t t_us, const NcclEvent& event);
    /// One that has ended, as NCCL Inspector lists them all.
    void take(int rank, const NcclCommunicator& communicator, const NcclOperation& operation);

    bool empty() const { return ranks_.empty(); }
    CollectiveReport report() const;

private:
    struct RankSums {
        std::uint64_t operations = 0;
        double bytes = 0;
        double seconds = 0;
        double shortest_s = 0;
        double longest_s = 0;
        double network_s = 0;
        double peer_wait_s = 0;
        double matched_s = 0;  ///< inside matched operations
        double waited_s = 0;   ///< of these
        std::uint32_t last = 0;

        void add(const NcclTotals& totals);
        double mean_s() const;
    };
    struct Sums {
        std::map<int, RankSums> ranks;
        std::map<std::pair<std::string, std::string>, std::uint64_t> kinds;  ///< algorithm, protocol
        std::uint64_t matched = 0;
        double matched_shortest_s = 0;  ///< of each the shortest time inside, together
        bool gpu_times = false;
    };
    using Key = std::tuple<std::size_t, std::size_t, int>;  // communicator, function, size class
    struct Progress {
        std::uint64_t entered = 0;
    };
    struct Rank {
        double observed_s = 0;
        std::uint64_t lost = 0;
        int api_version = 0;
        std::string unavailable;
        std::int64_t seen_us = 0;
        std::deque<RecentOperation> recent;
        std::vector<RecentOperation> open;
        std::map<std::pair<std::size_t, std::size_t>, Progress> progress;
    };
    struct Member {
        ReportCommunicator shown;
        std::map<int, bool> closed;  ///< by rank of the run
    };
    struct Matching {
        int size_class = 0;
        std::vector<std::pair<int, float>> inside;  ///< by rank of the run
    };

    std::size_t communicator_of(CommunicatorHash id);
    std::size_t function_of(const std::string& name);
    void take(int rank, const NcclCommunicator& communicator);
    void add(int rank, const NcclTotals& totals);
    void remember(int rank, const NcclOperation& operation);
    void match(int rank, const NcclOperation& operation);
    void finish_match(std::size_t communicator, std::size_t function, const Matching& matching);
    RecentOperation recent_of(const NcclOperation& operation);
    CollectiveRow row_of(const Key& key, const Sums& sums) const;
    void add_behind(CollectiveReport& report) const;

    std::vector<Member> communicators_;
    std::map<CommunicatorHash, std::size_t> communicator_index_;
    std::vector<std::string> functions_;
    std::map<std::string, std::size_t> function_index_;
    std::map<Key, Sums> sums_;
    std::size_t cells_ = 0;  ///< of all ranks in sums_
    std::map<int, Rank> ranks_;
    std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, Matching> matching_;
    std::deque<std::tuple<std::size_t, std::size_t, std::uint64_t>> matching_order_;
    std::size_t matching_ranks_ = 0;
    std::int64_t last_us_ = 0;
    std::uint64_t left_out_ = 0;
    bool without_start_ = false;
};

}  // namespace rankscope
