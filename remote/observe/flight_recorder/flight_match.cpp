// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/flight_recorder/flight_match.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace rankscope {
namespace {

/// A collective's place in its group: several may share a sequence number, as one launch.
using Place = std::pair<std::int64_t, std::size_t>;
using Calls = std::map<Place, const FlightEntry*>;  // of one rank

struct Group {
    std::string description;
    std::map<int, Calls> ranks;
    std::set<int> members;  ///< empty: only those that have called something
};

/// Wrapping, for the sizes of a hostile dump.
std::uint64_t elements_of(const FlightSizes& sizes) {
    std::uint64_t sum = 0;
    for (const auto& shape : sizes) {
        sum += std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                               [](std::uint64_t product, std::int64_t size) {
                                   return product * static_cast<std::uint64_t>(size);
                               });
    }
    return sum;
}

/// Whether all ranks must pass the same number of elements: not where each has its own share, or only the root has any.
bool needs_equal_sizes(std::string_view operation) {
    if (operation.starts_with("_")) {  // "_all_gather_base"
        operation.remove_prefix(1);
    }
    for (const std::string_view name :
         {"all_reduce", "allreduce", "broadcast", "reduce", "all_gather", "allgather"}) {
        if (operation == name || (operation.starts_with(name) && operation[name.size()] == '_' &&
                                  !operation.starts_with("reduce_scatter"))) {
            return true;
        }
    }
    return false;
}

/// The element type of a collective; a rank that passes no tensor has none.
std::string type_of(const FlightEntry& entry) {
    return !entry.input_types.empty()    ? entry.input_types.front()
           : !entry.output_types.empty() ? entry.output_types.front()
                                         : std::string();
}

std::uint64_t size_of(const FlightEntry& entry) {
    return needs_equal_sizes(entry.operation) ? elements_of(entry.input_sizes) : 0;
}

bool finished(const FlightEntry& entry) {
    return entry.state == FlightState::Completed || entry.completed_ns != 0;
}

std::map<std::string, Group> groups_of(const std::map<int, FlightDump>& dumps, int world_size) {
    constexpr int kMostRanks = 1'000'000;
    std::map<std::string, Group> groups;
    Group* whole_job = nullptr;
    for (const auto& [rank, dump] : dumps) {
        std::map<std::pair<std::string, std::int64_t>, std::size_t> same;
        for (const FlightEntry& entry : dump.entries) {
            if (entry.point_to_point) {
                continue;
            }
            Group& group = groups[entry.group];
            group.description = entry.description;
            group.ranks[rank].emplace(Place{entry.sequence, same[{entry.group, entry.sequence}]++}, &entry);
            if (entry.description == "default_pg" && whole_job == nullptr) {
                whole_job = &group;
            }
        }
    }
    for (int rank = 0; whole_job != nullptr && rank < std::min(world_size, kMostRanks); ++rank) {
        whole_job->members.insert(rank);
    }
    for (const auto& [rank, dump] : dumps) {
        for (const FlightGroup& described : dump.groups) {
            const auto group = groups.find(described.name);
            if (group != groups.end()) {
                group->second.members.insert(described.ranks.begin(), described.ranks.end());
            }
        }
    }
    return groups;
}

/// Equal calls together, most ranks first.
template <typename Key>
std::vector<FlightVariant> variants_of(const std::map<int, const FlightEntry*>& calls, Key key) {
    std::map<decltype(key(std::declval<const FlightEntry&>())), FlightVariant> found;
    for (const auto& [rank, entry] : calls) {
        FlightVariant& variant = found[key(*entry)];
        if (variant.ranks.empty()) {
            variant.entry = *entry;
        }
        variant.ranks.push_back(rank);
    }
    std::vector<FlightVariant> variants;
    variants.reserve(found.size());
    for (auto& [value, variant] : found) {
        variants.push_back(std::move(variant));
    }
    std::stable_sort(variants.begin(), variants.end(), [](const FlightVariant& a, const FlightVariant& b) {
        return std::pair(b.ranks.size(), a.ranks.front()) < std::pair(a.ranks.size(), b.ranks.front());
    });
    return variants;
}

/// The ranks that differ from the first variant, unless the second is as large.
std::vector<int> minority_of(const std::vector<FlightVariant>& variants) {
    std::vector<int> ranks;
    if (variants.size() > 1 && variants[0].ranks.size() == variants[1].ranks.size()) {
        return ranks;
    }
    for (std::size_t i = 1; i < variants.size(); ++i) {
        ranks.insert(ranks.end(), variants[i].ranks.begin(), variants[i].ranks.end());
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

class GroupMatch {
public:
    GroupMatch(const std::string& name, const Group& group, const std::set<int>& silent) : group_(group) {
        finding_.group = name;
        finding_.description = group.description;
        for (const int rank : group.members) {
            if (silent.contains(rank)) {
                silent_.push_back(rank);
            }
        }
    }

    std::optional<FlightFinding> match() {
        std::set<Place> places;
        Place begin{std::numeric_limits<std::int64_t>::min(), 0};
        for (const auto& [rank, calls] : group_.ranks) {
            begin = std::max(begin, calls.begin()->first);  // older ones have left its ring
            for (const auto& [place, entry] : calls) {
                places.insert(place);
            }
        }
        for (auto place = places.lower_bound(begin); place != places.end(); ++place) {
            if (differs(*place)) {
                finding_.sequence = place->first;
                return std::move(finding_);
            }
        }
        return std::nullopt;
    }

private:
    bool differs(const Place& place) {
        std::map<int, const FlightEntry*> calls;
        std::vector<int> absent;
        for (const auto& [rank, all] : group_.ranks) {
            const auto found = all.find(place);
            if (found == all.end()) {
                absent.push_back(rank);
            } else {
                calls.emplace(rank, found->second);
            }
        }
        for (const int rank : group_.members) {  // with a dump, and no call in this group at all
            if (!group_.ranks.contains(rank) && !std::binary_search(silent_.begin(), silent_.end(), rank)) {
                absent.push_back(rank);
            }
        }
        std::sort(absent.begin(), absent.end());
        return differs_in(FlightFault::OtherOperation, calls,
                          [](const FlightEntry& entry) { return entry.operation; }) ||
               differs_in(FlightFault::OtherType, calls, type_of) ||
               (!gathers_unequal(calls) && differs_in(FlightFault::OtherSize, calls, size_of)) ||
               does_not_end(place, calls, absent);
    }

    /// PyTorch gathers tensors of several sizes by one broadcast each: where that has ended, it was meant.
    static bool gathers_unequal(const std::map<int, const FlightEntry*>& calls) {
        return std::all_of(calls.begin(), calls.end(), [](const auto& call) {
            const std::string_view name = call.second->operation;
            return finished(*call.second) &&
                   (name.starts_with("all_gather") || name.starts_with("allgather"));
        });
    }

    template <typename Key>
    bool differs_in(FlightFault fault, const std::map<int, const FlightEntry*>& calls, Key key) {
        auto variants = variants_of(calls, key);
        if (variants.size() < 2) {
            return false;
        }
        finding_.fault = fault;
        finding_.ranks = minority_of(variants);
        finding_.variants = std::move(variants);
        return true;
    }

    bool does_not_end(const Place& place, const std::map<int, const FlightEntry*>& calls,
                      const std::vector<int>& absent) {
        const bool all_end =
            std::all_of(calls.begin(), calls.end(), [](const auto& call) { return finished(*call.second); });
        if (all_end) {
            return false;
        }
        if (!absent.empty()) {
            finding_.fault = FlightFault::NotEntered;
            finding_.ranks = absent;
            add_last(place, absent);
        } else if (!silent_.empty() && is_last(place)) {
            finding_.fault = FlightFault::NoDump;
            finding_.ranks = silent_;
        } else if (is_last(place) && std::none_of(calls.begin(), calls.end(),
                                                  [](const auto& call) { return call.second->retired; })) {
            finding_.fault = FlightFault::Unfinished;
            for (const auto& [rank, entry] : calls) {
                if (!finished(*entry)) {
                    finding_.ranks.push_back(rank);
                }
            }
        } else {
            return false;
        }
        finding_.variants = variants_of(calls, [](const FlightEntry& entry) { return entry.operation; });
        return true;
    }

    bool is_last(const Place& place) const {
        return std::all_of(group_.ranks.begin(), group_.ranks.end(),
                           [&](const auto& rank) { return rank.second.rbegin()->first <= place; });
    }

    void add_last(const Place& place, const std::vector<int>& ranks) {
        constexpr std::size_t kMostLast = 1024;
        for (const int rank : ranks) {
            if (finding_.last.size() == kMostLast) {
                return;
            }
            FlightVariant last;
            last.ranks = {rank};
            const auto calls = group_.ranks.find(rank);
            if (calls != group_.ranks.end()) {
                const auto after = calls->second.lower_bound(place);
                if (after != calls->second.begin()) {
                    last.entry = *std::prev(after)->second;
                }
            }
            finding_.last.push_back(std::move(last));
        }
    }

    const Group& group_;
    std::vector<int> silent_;  ///< members without a dump, in order
    FlightFinding finding_;
};

std::int64_t time_of(const FlightFinding& finding) {
    return finding.variants.empty() ? 0 : finding.variants.front().entry.created_ns;
}

}  // namespace

std::vector<FlightFinding> match_flight_dumps(const std::map<int, FlightDump>& dumps, int world_size) {
    const auto groups = groups_of(dumps, world_size);
    std::set<int> silent;
    for (const auto& [name, group] : groups) {
        for (const int rank : group.members) {
            if (!dumps.contains(rank)) {
                silent.insert(rank);
            }
        }
    }
    std::vector<FlightFinding> found;
    for (const auto& [name, group] : groups) {
        if (auto finding = GroupMatch(name, group, silent).match()) {
            found.push_back(std::move(*finding));
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const FlightFinding& a, const FlightFinding& b) {
        return std::tuple(a.fault, time_of(a)) < std::tuple(b.fault, time_of(b));
    });
    return found;
}

}  // namespace rankscope
