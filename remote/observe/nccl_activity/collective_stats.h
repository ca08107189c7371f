// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/nccl_activity/collective_report.h>
#include <remote/wire/nccl_event.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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
    /// What a rank had entered before the events that were taken: `behind` needs it of ranks that enter nothing
    /// meanwhile, for agents report changes only.
    void take_earlier(int rank, const NcclEvent& event);
    /// One that has ended, as NCCL Inspector lists them all.
    void take(int rank, const NcclCommunicator& communicator, const NcclOperation& operation);

    bool empty() const { return ranks_.empty(); }
    /// Costs what has changed since the last one, and a small part for each rank and row.
    CollectiveReport report();

private:
    struct RankSums {
        std::uint64_t operations = 0;
        std::uint64_t timed = 0;  ///< of these: seconds, shortest and longest are of them
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
    struct Cell {
        int rank = -1;
        std::size_t place = 0;  ///< in ranks_
        RankSums sums;
    };
    struct Kind {
        std::string algorithm;
        std::string protocol;
        std::uint64_t operations = 0;
    };
    struct Sums {
        std::vector<Cell> cells;  ///< by rank
        std::vector<Kind> kinds;
        std::uint64_t matched = 0;
        double matched_shortest_s = 0;  ///< of each the shortest time inside, together
        bool gpu_times = false;
        bool changed = true;  ///< since `row` was made
        CollectiveRow row;

        /// The sums of a rank; null: it has none. `guess`: where it may be.
        RankSums* of_rank(int rank, std::size_t guess);
    };
    using Key = std::tuple<std::size_t, std::size_t, int>;  // communicator, function, size class
    struct Rank {
        int number = -1;
        double observed_s = 0;
        std::uint64_t lost = 0;
        int api_version = 0;
        std::string unavailable;
        std::int64_t seen_us = 0;
        std::deque<RecentOperation> recent;
        bool recent_changed = false;  ///< since `shown` was made
        RecentOperations shown;
        std::int64_t last_end_us = 0;  ///< of `shown`
        std::vector<RecentOperation> open;
        std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> entered;  ///< by communicator, function
    };
    struct Member {
        ReportCommunicator shown;
        std::unordered_map<int, bool> closed;  ///< by rank of the run
        std::size_t open = 0;                  ///< of these, not closed
    };
    using MatchKey = std::tuple<std::size_t, std::size_t, std::uint64_t>;  // communicator, function, sequence
    struct MatchHash {
        std::size_t operator()(const MatchKey& key) const;
    };
    struct Inside {
        int rank = -1;
        std::uint32_t place = 0;  ///< in ranks_
        float seconds = 0;
    };
    struct Matching {
        int size_class = 0;
        std::vector<Inside> inside;
    };

    Rank* rank_of(int rank);
    std::size_t communicator_of(CommunicatorHash id);
    std::size_t function_of(const std::string& name);
    void take(int rank, const NcclCommunicator& communicator);
    void take(Rank& rank, const std::vector<NcclProgress>& progress);
    void add(const Rank& rank, const NcclTotals& totals);
    void remember(Rank& rank, const NcclOperation& operation);
    void match(const Rank& rank, const NcclOperation& operation);
    void make_room_for_match(std::size_t ranks);
    void drop_repeated(std::vector<Inside>& inside);
    void finish_match(const MatchKey& key, const Matching& matching);
    RecentOperation recent_of(const NcclOperation& operation);
    CollectiveRow row_of(const Key& key, const Sums& sums) const;
    void name_axes();
    void add_ranks(CollectiveReport& report, std::vector<std::size_t>& shown_at);
    void add_rows(CollectiveReport& report, const std::vector<std::size_t>& shown_at);
    void add_behind(CollectiveReport& report, const std::vector<std::size_t>& shown_at) const;

    std::vector<Member> communicators_;
    std::map<CommunicatorHash, std::size_t> communicator_index_;
    std::size_t axes_of_ = 0;  ///< members and sums when the axes were named
    std::vector<std::string> functions_;
    std::map<std::string, std::size_t> function_index_;
    std::map<Key, Sums> sums_;
    std::size_t cells_ = 0;              ///< of all ranks in sums_
    std::deque<Rank> ranks_;             ///< in the order in which they came
    std::map<int, std::size_t> places_;  ///< rank → in ranks_
    std::unordered_map<MatchKey, Matching, MatchHash> matching_;
    std::deque<MatchKey> matching_order_;
    std::size_t matching_ranks_ = 0;
    std::vector<std::uint32_t> seen_in_;  ///< by place in ranks_: drop_repeated()
    std::uint32_t seen_round_ = 0;
    std::int64_t last_us_ = 0;
    std::uint64_t left_out_ = 0;
    bool without_start_ = false;
};

}  // namespace rankscope
