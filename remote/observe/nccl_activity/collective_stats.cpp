// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_activity/bandwidth.h>
#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/wire/nccl_sample.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

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
constexpr std::size_t kNoGuess = std::numeric_limits<std::size_t>::max();
constexpr double kNoticeable = 0.02;  ///< of the longest time of one operation: below, none entered last
constexpr double kDiffers = 0.1;      ///< of the mean: below, no rank is slower than the others

int size_class_of(std::uint64_t bytes) {
    return bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes)) - 1;
}

double plausible(double seconds) {
    return std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

// The operation that is there only because it is the longest: it says nothing of those that are left out. Null: none.
const NcclOperation* only_longest(const NcclEvent& event) {
    const std::vector<NcclOperation>& operations = event.operations;
    std::uint64_t all = 0;
    for (const NcclTotals& totals : event.totals) {
        all += totals.operations;
    }
    if (operations.size() != kMostNcclOperations || all <= operations.size()) {
        return nullptr;
    }
    const auto longest = std::max_element(
        operations.begin(), operations.end(),
        [](const NcclOperation& left, const NcclOperation& right) { return left.seconds < right.seconds; });
    const auto order = [](const NcclOperation& one) {
        return nccl_sample_order(one.communicator.value, one.function, one.sequence);
    };
    const std::uint64_t of_longest = order(*longest);
    const bool last = std::all_of(operations.begin(), operations.end(),
                                  [&](const NcclOperation& one) { return order(one) <= of_longest; });
    return last ? &*longest : nullptr;
}

}  // namespace

void CollectiveStats::RankSums::add(const NcclTotals& totals) {
    const std::uint64_t with_times = totals.operations - std::min(totals.untimed, totals.operations);
    if (with_times > 0) {
        const double shortest = plausible(totals.shortest_s);
        shortest_s = timed == 0 || shortest < shortest_s ? shortest : shortest_s;
        longest_s = std::max(longest_s, plausible(totals.longest_s));
    }
    timed += with_times;
    operations += totals.operations;
    bytes += static_cast<double>(totals.bytes);
    seconds += plausible(totals.seconds);
    network_s += plausible(totals.network_s);
    peer_wait_s += plausible(totals.peer_wait_s);
}

double CollectiveStats::RankSums::mean_s() const {
    return timed > 0 ? seconds / static_cast<double>(timed) : 0;
}

CollectiveStats::RankSums* CollectiveStats::Sums::of_rank(int rank, std::size_t guess) {
    if (guess < cells.size() && cells[guess].rank == rank) {
        return &cells[guess].sums;
    }
    const auto at = std::lower_bound(cells.begin(), cells.end(), rank,
                                     [](const Cell& cell, int wanted) { return cell.rank < wanted; });
    return at != cells.end() && at->rank == rank ? &at->sums : nullptr;
}

std::size_t CollectiveStats::MatchHash::operator()(const MatchKey& key) const {
    const auto& [communicator, function, sequence] = key;
    return std::hash<std::uint64_t>()(sequence * 0x9e3779b97f4a7c15U + communicator * kMostFunctions +
                                      function);
}

/// Null: there is no room for it.
CollectiveStats::Rank* CollectiveStats::rank_of(int rank) {
    const auto found = places_.find(rank);
    if (found != places_.end()) {
        return &ranks_[found->second];
    }
    if (rank < 0 || ranks_.size() == kMostRanks) {
        return nullptr;
    }
    places_.emplace(rank, ranks_.size());
    ranks_.emplace_back().number = rank;
    return &ranks_.back();
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
    bool& closed = member.closed.try_emplace(rank, true).first->second;
    if (closed != communicator.closed) {
        closed = communicator.closed;
        closed ? --member.open : ++member.open;
    }
}

void CollectiveStats::add(const Rank& rank, const NcclTotals& totals) {
    const Key key(communicator_of(totals.communicator), function_of(totals.function),
                  std::clamp(totals.size_class, 0, 63));
    auto found = sums_.find(key);
    RankSums* of_rank = found == sums_.end() ? nullptr : found->second.of_rank(rank.number, kNoGuess);
    if (of_rank == nullptr) {
        if (cells_ == kMostCells) {
            left_out_ += totals.operations;
            return;
        }
        ++cells_;
        found = found == sums_.end() ? sums_.emplace(key, Sums()).first : found;
        std::vector<Cell>& cells = found->second.cells;
        const auto at = std::lower_bound(cells.begin(), cells.end(), rank.number,
                                         [](const Cell& cell, int wanted) { return cell.rank < wanted; });
        of_rank =
            &cells.insert(at, {.rank = rank.number, .place = places_.at(rank.number), .sums = {}})->sums;
    }
    of_rank->add(totals);
    Sums& sums = found->second;
    sums.changed = true;
    sums.gpu_times = sums.gpu_times || totals.gpu_times;
    const auto kind = std::find_if(sums.kinds.begin(), sums.kinds.end(), [&](const Kind& one) {
        return one.algorithm == totals.algorithm && one.protocol == totals.protocol;
    });
    if (kind != sums.kinds.end()) {
        kind->operations += totals.operations;
    } else if (sums.kinds.size() < kMostKinds) {
        sums.kinds.push_back({totals.algorithm, totals.protocol, totals.operations});
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

void CollectiveStats::remember(Rank& rank, const NcclOperation& operation) {
    if (operation.start_us <= 0) {
        without_start_ = true;
        return;
    }
    rank.recent.push_back(recent_of(operation));
    rank.recent_changed = true;
    const std::size_t most = std::clamp(kMostRecent / ranks_.size(), kFewestRecentOfRank, kMostRecentOfRank);
    while (rank.recent.size() > most) {
        rank.recent.pop_front();
    }
    last_us_ = std::max(last_us_, operation.start_us);
}

void CollectiveStats::make_room_for_match(std::size_t ranks) {
    while (!matching_order_.empty() &&
           (matching_.size() >= kMostMatching || matching_ranks_ + ranks > kMostMatchingRanks)) {
        const auto oldest = matching_.find(matching_order_.front());
        matching_order_.pop_front();
        if (oldest != matching_.end()) {
            matching_ranks_ -= oldest->second.inside.size();
            matching_.erase(oldest);
        }
    }
    if (matching_order_.size() > 2 * kMostMatching) {
        std::erase_if(matching_order_, [&](const auto& one) { return !matching_.contains(one); });
    }
}

// Keeps what was inside of an operation until all ranks of its communicator have reported it.
void CollectiveStats::match(const Rank& rank, const NcclOperation& operation) {
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
    const MatchKey key(communicator, function_of(operation.function), operation.sequence);
    auto at = matching_.find(key);
    if (at == matching_.end()) {
        make_room_for_match(ranks);
        at = matching_.emplace(key, Matching{.size_class = size_class_of(operation.bytes), .inside = {}})
                 .first;
        matching_order_.push_back(key);
    }
    std::vector<Inside>& inside = at->second.inside;
    inside.push_back({.rank = rank.number,
                      .place = static_cast<std::uint32_t>(places_.at(rank.number)),
                      .seconds = static_cast<float>(seconds)});
    ++matching_ranks_;
    if (inside.size() < ranks) {
        return;
    }
    matching_ranks_ -= inside.size();
    drop_repeated(inside);
    if (inside.size() < ranks) {
        matching_ranks_ += inside.size();
        return;
    }
    finish_match(key, at->second);
    matching_.erase(at);
}

// The first that each rank reported counts.
void CollectiveStats::drop_repeated(std::vector<Inside>& inside) {
    seen_in_.resize(ranks_.size(), 0);
    if (++seen_round_ == 0) {
        std::fill(seen_in_.begin(), seen_in_.end(), 0);
        seen_round_ = 1;
    }
    std::erase_if(inside, [&](const Inside& one) {
        return std::exchange(seen_in_[one.place], seen_round_) == seen_round_;
    });
}

void CollectiveStats::finish_match(const MatchKey& key, const Matching& matching) {
    const auto sums = sums_.find({std::get<0>(key), std::get<1>(key), matching.size_class});
    if (sums == sums_.end()) {
        return;
    }
    const auto shorter = [](const Inside& left, const Inside& right) { return left.seconds < right.seconds; };
    const auto [last, longest] = std::minmax_element(matching.inside.begin(), matching.inside.end(), shorter);
    Sums& all = sums->second;
    all.changed = true;
    ++all.matched;
    all.matched_shortest_s += static_cast<double>(last->seconds);
    for (std::size_t i = 0; i < matching.inside.size(); ++i) {
        const Inside& one = matching.inside[i];
        if (RankSums* of_rank = all.of_rank(one.rank, i)) {
            of_rank->matched_s += static_cast<double>(one.seconds);
            of_rank->waited_s += static_cast<double>(one.seconds - last->seconds);
        }
    }
    const bool one_is_last = static_cast<double>(longest->seconds - last->seconds) >
                             kNoticeable * static_cast<double>(longest->seconds);
    if (RankSums* of_last = all.of_rank(last->rank, kNoGuess); one_is_last && of_last != nullptr) {
        ++of_last->last;
    }
}

void CollectiveStats::take(int rank, std::int64_t t_us, const NcclEvent& event) {
    Rank* const known = rank_of(rank);
    if (known == nullptr) {
        return;
    }
    Rank& of_rank = *known;
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
        add(of_rank, totals);
    }
    const NcclOperation* unlike_others = only_longest(event);
    for (const NcclOperation& operation : event.operations) {
        remember(of_rank, operation);
        if (&operation != unlike_others) {
            match(of_rank, operation);
        }
    }
    of_rank.open.clear();
    for (const NcclOperation& operation : event.open) {
        of_rank.open.push_back(recent_of(operation));
    }
    take(of_rank, event.progress);
}

void CollectiveStats::take(Rank& rank, const std::vector<NcclProgress>& progress) {
    for (const NcclProgress& one : progress) {
        std::uint64_t& entered = rank.entered[{communicator_of(one.communicator), function_of(one.function)}];
        entered = std::max({entered, one.called, one.enqueued, one.finished});
    }
}

void CollectiveStats::take_earlier(int rank, const NcclEvent& event) {
    if (const auto place = places_.find(rank); place != places_.end()) {
        take(ranks_[place->second], event.progress);
    }
}

void CollectiveStats::take(int rank, const NcclCommunicator& communicator, const NcclOperation& operation) {
    Rank* const of_rank = rank_of(rank);
    if (of_rank == nullptr) {
        return;
    }
    of_rank->seen_us = std::max(of_rank->seen_us, operation.start_us);
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
    add(*of_rank, totals);
    remember(*of_rank, operation);
    match(*of_rank, operation);
}

CollectiveRow CollectiveStats::row_of(const Key& key, const Sums& sums) const {
    const auto [communicator, function, size_class] = key;
    const std::string& name = functions_[function];
    CollectiveRow row;
    row.communicator = communicator;
    row.function = function;
    row.size_class = size_class;
    row.ranks = communicators_[communicator].shown.ranks;
    row.ranks_seen = sums.cells.size();
    row.matched = sums.matched;
    row.gpu_times = sums.gpu_times;
    RankSums all;
    double fastest_s = 0;
    double slowest_s = 0;
    int fastest = -1;
    std::uint32_t most_last = 0;
    for (const auto& [rank, place, of_rank] : sums.cells) {
        if (of_rank.operations == 0) {
            continue;
        }
        if (of_rank.timed > 0) {
            const double mean = of_rank.mean_s();
            if (row.slowest_rank < 0 || mean > slowest_s) {
                slowest_s = mean;
                row.slowest_rank = rank;
            }
            if (fastest < 0 || mean < fastest_s) {
                fastest_s = mean;
                fastest = rank;
            }
            row.shortest_s =
                all.timed == 0 ? of_rank.shortest_s : std::min(row.shortest_s, of_rank.shortest_s);
            row.longest_s = std::max(row.longest_s, of_rank.longest_s);
        }
        if (of_rank.last > most_last) {
            most_last = of_rank.last;
            row.last_rank = rank;
        }
        row.operations = std::max(row.operations, of_rank.operations);
        all.operations += of_rank.operations;
        all.timed += of_rank.timed;
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
    row.mean_s = all.mean_s();
    row.spread_s = slowest_s - fastest_s;
    const bool synchronizes = ends_together(name) && row.ranks > 1;
    const bool differ = row.spread_s > kDiffers * slowest_s;
    if (sums.cells.size() < 2 || !differ) {
        row.slowest_rank = -1;
    }
    row.transfer_s = synchronizes ? fastest_s : row.mean_s;
    if (synchronizes && sums.matched > 0) {
        // The means of different operations: the shortest of each is shorter than the shortest mean.
        const double matched = sums.matched_shortest_s / static_cast<double>(sums.matched);
        row.transfer_s = std::min(row.transfer_s, matched);
        row.last_share = static_cast<double>(most_last) / static_cast<double>(sums.matched);
        // Some rank is last every time: one is, where it is so three times as often as by chance.
        if (row.last_share < std::clamp(3.0 / row.ranks, 0.25, 0.6)) {
            row.last_rank = -1;
        }
        row.wait_share = all.matched_s > 0 ? all.waited_s / all.matched_s : 0;
    } else if (synchronizes && sums.cells.size() > 1) {
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
    for (const Kind& kind : sums.kinds) {
        if (kind.operations > most) {
            most = kind.operations;
            row.algorithm = kind.algorithm == "?" ? "" : kind.algorithm;
            row.protocol = kind.protocol == "?" ? "" : kind.protocol;
        }
    }
    return row;
}

// Who has not entered what another rank is inside of for a second or more. Numbers of progress alone show nothing:
// the events of two ranks are not of the same moment.
void CollectiveStats::add_behind(CollectiveReport& report, const std::vector<std::size_t>& shown_at) const {
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> oldest;
    for (const ReportRank& rank : report.ranks) {
        for (const RecentOperation& open : rank.open) {
            if (!open.point_to_point) {
                const auto [at, fresh] =
                    oldest.try_emplace({open.communicator, open.function}, open.sequence);
                at->second = std::min(at->second, open.sequence);
            }
        }
    }
    for (const auto& [where, wanted] : oldest) {
        for (const auto& [number, closed] : communicators_[where.first].closed) {
            const std::size_t place = places_.at(number);
            const auto at = ranks_[place].entered.find(where);
            const std::uint64_t entered = at == ranks_[place].entered.end() ? 0 : at->second;
            if (entered < wanted && ranks_[place].unavailable.empty()) {
                report.ranks[shown_at[place]].behind.push_back({where.first, where.second, entered, wanted});
            }
        }
    }
}

void CollectiveStats::add_ranks(CollectiveReport& report, std::vector<std::size_t>& shown_at) {
    report.ranks.reserve(ranks_.size());
    for (const auto& [number, place] : places_) {
        Rank& rank = ranks_[place];
        if (rank.recent_changed) {
            std::vector<RecentOperation> recent(rank.recent.begin(), rank.recent.end());
            const auto earlier = [](const RecentOperation& left, const RecentOperation& right) {
                return left.start_us < right.start_us;
            };
            if (!std::is_sorted(recent.begin(), recent.end(), earlier)) {
                std::stable_sort(recent.begin(), recent.end(), earlier);
            }
            rank.last_end_us = 0;
            for (const RecentOperation& one : recent) {
                const double end = static_cast<double>(one.start_us) + one.seconds * 1e6;
                rank.last_end_us = std::max(rank.last_end_us, static_cast<std::int64_t>(std::min(end, 9e18)));
            }
            rank.shown = RecentOperations(std::move(recent));
            rank.recent_changed = false;
        }
        shown_at[place] = report.ranks.size();
        report.ranks.push_back({.rank = number,
                                .observed_s = rank.observed_s,
                                .lost = rank.lost,
                                .api_version = rank.api_version,
                                .unavailable = rank.unavailable,
                                .seen_us = rank.seen_us,
                                .recent = rank.shown,
                                .last_end_us = rank.last_end_us,
                                .open = rank.open,
                                .behind = {}});
    }
}

void CollectiveStats::add_rows(CollectiveReport& report, const std::vector<std::size_t>& shown_at) {
    report.rows.reserve(sums_.size());
    for (auto& [key, sums] : sums_) {
        if (sums.changed || sums.row.ranks != communicators_[std::get<0>(key)].shown.ranks) {
            sums.row = row_of(key, sums);
            sums.changed = false;
        }
        const CollectiveRow& row = sums.row;
        report.rows.push_back(row);
        const bool synchronizes = ends_together(functions_[row.function]);
        for (const auto& [number, place, of_rank] : sums.cells) {
            ReportRank& shown = report.ranks[shown_at[place]];
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
}

/// Runs again only when a rank has opened a communicator, or when a function or size is new.
void CollectiveStats::name_axes() {
    std::size_t known = sums_.size();
    std::size_t world = ranks_.size();
    for (const Member& member : communicators_) {
        known += member.closed.size();
        world = std::max(world, static_cast<std::size_t>(std::max(member.shown.ranks, 0)));
    }
    if (std::exchange(axes_of_, known) == known) {
        return;
    }
    std::vector<GroupTraffic> traffic(communicators_.size());
    for (const auto& [key, sums] : sums_) {
        std::uint64_t most = 0;
        for (const Cell& cell : sums.cells) {
            most = std::max(most, cell.sums.operations);
        }
        traffic[std::get<0>(key)].add(functions_[std::get<1>(key)], most);
    }
    std::vector<ReportCommunicator*> shown;
    for (Member& member : communicators_) {
        member.shown.members.clear();
        for (const auto& [rank, closed] : member.closed) {
            member.shown.members.push_back(rank);
        }
        std::sort(member.shown.members.begin(), member.shown.members.end());
        shown.push_back(&member.shown);
    }
    rankscope::name_axes(shown, traffic, static_cast<int>(world));
}

CollectiveReport CollectiveStats::report() {
    name_axes();
    CollectiveReport report;
    report.functions = functions_;
    report.communicators.reserve(communicators_.size());
    for (const Member& member : communicators_) {
        report.communicators.push_back(member.shown);
        report.communicators.back().closed = !member.closed.empty() && member.open == 0;
    }
    std::vector<std::size_t> shown_at(ranks_.size(), 0);
    add_ranks(report, shown_at);
    add_rows(report, shown_at);
    add_behind(report, shown_at);
    report.last_us = last_us_;
    report.left_out = left_out_;
    report.without_start = without_start_;
    return report;
}

}  // namespace rankscope
