// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_activity/bandwidth.h>
#include <remote/observe/nccl_activity/collective_stats.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace rankscope {
namespace {

constexpr std::size_t kMostCommunicators = 16384;
constexpr std::size_t kMostFunctions = 64;
constexpr std::size_t kMostCells = 400'000;  ///< sums of a rank: about 40 MB
constexpr std::size_t kMostRanks = 65536;
constexpr std::size_t kMostRecent = 262'144;  ///< operations of all ranks together
constexpr std::size_t kMostRecentOfRank = 2048;
constexpr std::size_t kFewestRecentOfRank = 64;
constexpr std::size_t kMostMatching = 4096;
constexpr std::size_t kMostMatchingRanks = 1'000'000;
constexpr std::size_t kMostKinds = 32;
constexpr double kNoticeable = 0.02;  ///< of the longest time of one operation: below, none entered last
constexpr double kDiffers = 0.1;      ///< of the mean: below, no rank is slower than the others

int size_class_of(std::uint64_t bytes) {
    return bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes)) - 1;
}

double plausible(double seconds) {
    return std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

}  // namespace

void CollectiveStats::RankSums::add(const NcclTotals& totals) {
    const double shortest = plausible(totals.shortest_s);
    shortest_s = operations == 0 || shortest < shortest_s ? shortest : shortest_s;
    longest_s = std::max(longest_s, plausible(totals.longest_s));
    operations += totals.operations;
    bytes += static_cast<double>(totals.bytes);
    seconds += plausible(totals.seconds);
    network_s += plausible(totals.network_s);
    peer_wait_s += plausible(totals.peer_wait_s);
}

double CollectiveStats::RankSums::mean_s() const {
    return operations > 0 ? seconds / static_cast<double>(operations) : 0;
}

std::size_t CollectiveStats::communicator_of(CommunicatorHash id) {
    const auto found = communicator_index_.find(id);
    if (found != communicator_index_.end()) {
        return found->second;
    }
    // The last place is for all those for which there is no room.
    if (communicators_.size() == kMostCommunicators) {
        return kMostCommunicators - 1;
    }
    communicators_.push_back({.shown = {.id = id}, .closed = {}});
    communicator_index_.emplace(id, communicators_.size() - 1);
    return communicators_.size() - 1;
}

std::size_t CollectiveStats::function_of(const std::string& name) {
    const auto found = function_index_.find(name);
    if (found != function_index_.end()) {
        return found->second;
    }
    if (functions_.size() == kMostFunctions) {
        return kMostFunctions - 1;
    }
    functions_.push_back(name);
    function_index_.emplace(name, functions_.size() - 1);
    return functions_.size() - 1;
}

void CollectiveStats::take(int rank, const NcclCommunicator& communicator) {
    Member& member = communicators_[communicator_of(communicator.id)];
    if (!communicator.name.empty()) {
        member.shown.name = communicator.name;
    }
    member.shown.ranks = std::max(member.shown.ranks, communicator.ranks);
    if (communicator.rank >= 0) {
        member.shown.members[communicator.rank] = rank;
    }
    member.closed[rank] = communicator.closed;
}

void CollectiveStats::add(int rank, const NcclTotals& totals) {
    const Key key(communicator_of(totals.communicator), function_of(totals.function),
                  std::clamp(totals.size_class, 0, 63));
    const auto found = sums_.find(key);
    const bool fresh = found == sums_.end() || !found->second.ranks.contains(rank);
    if (fresh && cells_ == kMostCells) {
        left_out_ += totals.operations;
        return;
    }
    cells_ += fresh ? 1 : 0;
    Sums& sums = sums_[key];
    RankSums& of_rank = sums.ranks[rank];
    of_rank.add(totals);
    sums.gpu_times = sums.gpu_times || totals.gpu_times;
    if (const auto kind = std::pair(totals.algorithm, totals.protocol);
        sums.kinds.contains(kind) || sums.kinds.size() < kMostKinds) {
        sums.kinds[kind] += totals.operations;
    }
}

RecentOperation CollectiveStats::recent_of(const NcclOperation& operation) {
    return {.communicator = communicator_of(operation.communicator),
            .function = function_of(operation.function),
            .sequence = operation.sequence,
            .bytes = operation.bytes,
            .start_us = operation.start_us,
            .seconds = plausible(operation.seconds),
            .phase = operation.phase,
            .peer = operation.peer_or_root,
            .point_to_point = operation.point_to_point};
}

void CollectiveStats::remember(int rank, const NcclOperation& operation) {
    if (operation.start_us <= 0) {
        without_start_ = true;
        return;
    }
    std::deque<RecentOperation>& recent = ranks_[rank].recent;
    recent.push_back(recent_of(operation));
    const std::size_t most = std::clamp(kMostRecent / ranks_.size(), kFewestRecentOfRank, kMostRecentOfRank);
    while (recent.size() > most) {
        recent.pop_front();
    }
    last_us_ = std::max(last_us_, operation.start_us);
}

// Keeps what was inside of an operation until all ranks of its communicator have reported it.
void CollectiveStats::match(int rank, const NcclOperation& operation) {
    const double seconds = operation.gpu_s > 0 ? operation.gpu_s : operation.seconds;
    if (operation.point_to_point || operation.phase != NcclPhase::Finished || !(seconds > 0) ||
        operation.replayed || !ends_together(operation.function)) {
        return;
    }
    const std::size_t communicator = communicator_of(operation.communicator);
    const auto ranks = static_cast<std::size_t>(std::max(communicators_[communicator].shown.ranks, 0));
    if (ranks < 2) {
        return;
    }
    const auto key = std::tuple(communicator, function_of(operation.function), operation.sequence);
    auto at = matching_.find(key);
    if (at == matching_.end()) {
        while (!matching_order_.empty() &&
               (matching_.size() >= kMostMatching || matching_ranks_ + ranks > kMostMatchingRanks)) {
            const auto oldest = matching_.find(matching_order_.front());
            matching_order_.pop_front();
            if (oldest != matching_.end()) {
                matching_ranks_ -= oldest->second.inside.size();
                matching_.erase(oldest);
            }
        }
        at = matching_.emplace(key, Matching{.size_class = size_class_of(operation.bytes), .inside = {}})
                 .first;
        matching_order_.push_back(key);
    }
    std::vector<std::pair<int, float>>& inside = at->second.inside;
    const auto same =
        std::find_if(inside.begin(), inside.end(), [&](const auto& one) { return one.first == rank; });
    if (same != inside.end()) {
        return;
    }
    inside.emplace_back(rank, static_cast<float>(seconds));
    ++matching_ranks_;
    if (inside.size() == ranks) {
        finish_match(communicator, std::get<1>(key), at->second);
        matching_ranks_ -= inside.size();
        matching_.erase(at);
    }
    if (matching_order_.size() > 2 * kMostMatching) {
        std::erase_if(matching_order_, [&](const auto& one) { return !matching_.contains(one); });
    }
}

void CollectiveStats::finish_match(std::size_t communicator, std::size_t function, const Matching& matching) {
    const auto sums = sums_.find({communicator, function, matching.size_class});
    if (sums == sums_.end()) {
        return;
    }
    const auto shorter = [](const auto& left, const auto& right) { return left.second < right.second; };
    const auto last = std::min_element(matching.inside.begin(), matching.inside.end(), shorter);
    const auto longest = std::max_element(matching.inside.begin(), matching.inside.end(), shorter);
    ++sums->second.matched;
    sums->second.matched_shortest_s += static_cast<double>(last->second);
    for (const auto& [rank, seconds] : matching.inside) {
        const auto of_rank = sums->second.ranks.find(rank);
        if (of_rank != sums->second.ranks.end()) {
            of_rank->second.matched_s += static_cast<double>(seconds);
            of_rank->second.waited_s += static_cast<double>(seconds - last->second);
        }
    }
    const bool one_is_last = static_cast<double>(longest->second - last->second) >
                             kNoticeable * static_cast<double>(longest->second);
    if (const auto of_last = sums->second.ranks.find(last->first);
        one_is_last && of_last != sums->second.ranks.end()) {
        ++of_last->second.last;
    }
}

void CollectiveStats::take(int rank, std::int64_t t_us, const NcclEvent& event) {
    if (rank < 0 || (ranks_.size() == kMostRanks && !ranks_.contains(rank))) {
        return;
    }
    Rank& of_rank = ranks_[rank];
    of_rank.observed_s += plausible(event.seconds);
    of_rank.lost += event.lost;
    of_rank.api_version = event.api_version > 0 ? event.api_version : of_rank.api_version;
    of_rank.unavailable = event.unavailable;
    of_rank.seen_us = std::max(of_rank.seen_us, t_us);
    last_us_ = std::max(last_us_, t_us);
    for (const NcclCommunicator& communicator : event.communicators) {
        take(rank, communicator);
    }
    for (const NcclTotals& totals : event.totals) {
        add(rank, totals);
    }
    for (const NcclOperation& operation : event.operations) {
        remember(rank, operation);
        match(rank, operation);
    }
    of_rank.open.clear();
    for (const NcclOperation& operation : event.open) {
        of_rank.open.push_back(recent_of(operation));
    }
    for (const NcclProgress& progress : event.progress) {
        std::uint64_t& entered =
            of_rank.progress[{communicator_of(progress.communicator), function_of(progress.function)}]
                .entered;
        entered = std::max({entered, progress.called, progress.enqueued, progress.finished});
    }
}

void CollectiveStats::take(int rank, const NcclCommunicator& communicator, const NcclOperation& operation) {
    if (rank < 0 || (ranks_.size() == kMostRanks && !ranks_.contains(rank))) {
        return;
    }
    ranks_[rank].seen_us = std::max(ranks_[rank].seen_us, operation.start_us);
    take(rank, communicator);
    NcclTotals totals;
    totals.communicator = operation.communicator;
    totals.function = operation.function;
    totals.datatype = operation.datatype;
    totals.algorithm = operation.algorithm;
    totals.protocol = operation.protocol;
    totals.size_class = size_class_of(operation.bytes);
    totals.operations = 1;
    totals.bytes = operation.bytes;
    totals.seconds = totals.shortest_s = totals.longest_s = operation.seconds;
    totals.network_s = operation.network_s;
    totals.gpu_times = operation.gpu_s > 0;
    add(rank, totals);
    remember(rank, operation);
    match(rank, operation);
}

CollectiveRow CollectiveStats::row_of(const Key& key, const Sums& sums) const {
    const auto [communicator, function, size_class] = key;
    const std::string& name = functions_[function];
    CollectiveRow row;
    row.communicator = communicator;
    row.function = function;
    row.size_class = size_class;
    row.ranks = communicators_[communicator].shown.ranks;
    row.ranks_seen = sums.ranks.size();
    row.matched = sums.matched;
    row.gpu_times = sums.gpu_times;
    RankSums all;
    double fastest_s = 0;
    double slowest_s = 0;
    int fastest = -1;
    std::uint32_t most_last = 0;
    for (const auto& [rank, of_rank] : sums.ranks) {
        if (of_rank.operations == 0) {
            continue;
        }
        const double mean = of_rank.mean_s();
        if (row.slowest_rank < 0 || mean > slowest_s) {
            slowest_s = mean;
            row.slowest_rank = rank;
        }
        if (fastest < 0 || mean < fastest_s) {
            fastest_s = mean;
            fastest = rank;
        }
        if (of_rank.last > most_last) {
            most_last = of_rank.last;
            row.last_rank = rank;
        }
        row.shortest_s =
            all.operations == 0 ? of_rank.shortest_s : std::min(row.shortest_s, of_rank.shortest_s);
        row.longest_s = std::max(row.longest_s, of_rank.longest_s);
        row.operations = std::max(row.operations, of_rank.operations);
        all.operations += of_rank.operations;
        all.bytes += of_rank.bytes;
        all.seconds += of_rank.seconds;
        all.network_s += of_rank.network_s;
        all.peer_wait_s += of_rank.peer_wait_s;
        all.matched_s += of_rank.matched_s;
        all.waited_s += of_rank.waited_s;
    }
    if (all.operations == 0) {
        return row;
    }
    const auto operations = static_cast<double>(all.operations);
    row.bytes = all.bytes / operations;
    row.mean_s = all.seconds / operations;
    row.spread_s = slowest_s - fastest_s;
    const bool synchronizes = ends_together(name) && row.ranks > 1;
    const bool differ = row.spread_s > kDiffers * slowest_s;
    if (sums.ranks.size() < 2 || !differ) {
        row.slowest_rank = -1;
    }
    row.transfer_s = synchronizes ? fastest_s : row.mean_s;
    if (synchronizes && sums.matched > 0) {
        // The means of different operations: the shortest of each is shorter than the shortest mean.
        const double matched = sums.matched_shortest_s / static_cast<double>(sums.matched);
        row.transfer_s = std::min(row.transfer_s, matched);
        row.last_share = static_cast<double>(most_last) / static_cast<double>(sums.matched);
        // Somebody is last every time: one is, where it is so three times as often as by chance.
        if (row.last_share < std::clamp(3.0 / row.ranks, 0.25, 0.6)) {
            row.last_rank = -1;
        }
        row.wait_share = all.matched_s > 0 ? all.waited_s / all.matched_s : 0;
    } else if (synchronizes && sums.ranks.size() > 1) {
        row.last_rank = differ ? fastest : -1;
        row.wait_share = row.mean_s > 0 ? 1 - fastest_s / row.mean_s : 0;
    }
    if (all.seconds > 0) {
        row.network_share = std::min(1.0, all.network_s / all.seconds);
        row.peer_wait_share = std::min(1.0, all.peer_wait_s / all.seconds);
    }
    if (row.transfer_s > 0) {
        row.algorithm_bandwidth = payload_bytes(name, row.bytes, row.ranks) / row.transfer_s;
        row.bus_bandwidth = row.algorithm_bandwidth * bus_factor(name, row.ranks);
    }
    std::uint64_t most = 0;
    for (const auto& [kind, count] : sums.kinds) {
        if (count > most) {
            most = count;
            row.algorithm = kind.first == "?" ? "" : kind.first;
            row.protocol = kind.second == "?" ? "" : kind.second;
        }
    }
    return row;
}

// Who has not entered what another rank is inside of for a second or more. Numbers of progress alone show nothing:
// the events of two ranks are not of the same moment.
void CollectiveStats::add_behind(CollectiveReport& report) const {
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> oldest;
    for (const auto& [rank, of_rank] : ranks_) {
        for (const RecentOperation& open : of_rank.open) {
            if (!open.point_to_point) {
                const auto [at, fresh] =
                    oldest.try_emplace({open.communicator, open.function}, open.sequence);
                at->second = std::min(at->second, open.sequence);
            }
        }
    }
    for (ReportRank& rank : report.ranks) {
        const auto& progress = ranks_.at(rank.rank).progress;
        for (const auto& [where, wanted] : oldest) {
            const auto& members = communicators_[where.first].shown.members;
            const bool member = std::any_of(members.begin(), members.end(),
                                            [&](const auto& one) { return one.second == rank.rank; });
            const auto at = progress.find(where);
            const std::uint64_t entered = at == progress.end() ? 0 : at->second.entered;
            if (member && entered < wanted && rank.unavailable.empty()) {
                rank.behind.push_back({where.first, where.second, entered, wanted});
            }
        }
    }
}

CollectiveReport CollectiveStats::report() const {
    CollectiveReport report;
    report.functions = functions_;
    for (const Member& member : communicators_) {
        report.communicators.push_back(member.shown);
        report.communicators.back().closed =
            !member.closed.empty() && std::all_of(member.closed.begin(), member.closed.end(),
                                                  [](const auto& one) { return one.second; });
    }
    std::map<int, std::size_t> places;
    for (const auto& [rank, of_rank] : ranks_) {
        places[rank] = report.ranks.size();
        report.ranks.push_back({.rank = rank,
                                .observed_s = of_rank.observed_s,
                                .lost = of_rank.lost,
                                .api_version = of_rank.api_version,
                                .unavailable = of_rank.unavailable,
                                .seen_us = of_rank.seen_us,
                                .recent = {of_rank.recent.begin(), of_rank.recent.end()},
                                .open = of_rank.open,
                                .behind = {}});
    }
    for (const auto& [key, sums] : sums_) {
        report.rows.push_back(row_of(key, sums));
        const CollectiveRow& row = report.rows.back();
        const bool synchronizes = ends_together(functions_[row.function]);
        for (const auto& [rank, of_rank] : sums.ranks) {
            ReportRank& shown = report.ranks[places.at(rank)];
            shown.operations += of_rank.operations;
            shown.inside_s += of_rank.seconds;
            shown.last += of_rank.last;
            shown.matched += sums.matched;
            // The share in the matched ones, of all; else the time beyond the fastest rank's.
            shown.waited_s +=
                of_rank.matched_s > 0 ? of_rank.seconds * of_rank.waited_s / of_rank.matched_s
                : synchronizes        ? std::max(0.0, of_rank.seconds -
                                                          row.transfer_s * static_cast<double>(of_rank.operations))
                                      : 0;
        }
    }
    add_behind(report);
    report.last_us = last_us_;
    report.left_out = left_out_;
    report.without_start = without_start_;
    return report;
}

}  // namespace rankscope
