// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/flight_recorder/flight_groups.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

namespace rankscope {
namespace {

struct Seen {
    std::string description;
    std::vector<int> listed;
    std::set<int> called;
    std::map<int, GroupTraffic> by_rank;
};

/// The rank that has done most.
GroupTraffic most(const std::map<int, GroupTraffic>& by_rank) {
    GroupTraffic result;
    for (const auto& [rank, traffic] : by_rank) {
        if (traffic.collectives() + traffic.messages > result.collectives() + result.messages) {
            result = traffic;
        }
    }
    return result;
}

}  // namespace

std::vector<ObservedGroup> observed_groups(const std::map<int, FlightDump>& dumps) {
    std::map<std::string, Seen> seen;
    for (const auto& [rank, dump] : dumps) {
        for (const FlightGroup& group : dump.groups) {
            if (group.name.empty()) {
                continue;  // Gloo's: the last group that was made, without its name
            }
            Seen& one = seen[group.name];
            if (one.listed.empty()) {
                one.listed = group.ranks;
                std::sort(one.listed.begin(), one.listed.end());
            }
            if (one.description.empty()) {
                one.description = group.description;
            }
        }
        for (const FlightEntry& entry : dump.entries) {
            Seen& one = seen[entry.group];
            one.called.insert(rank);
            one.by_rank[rank].add(entry.operation);
            if (one.description.empty()) {
                one.description = entry.description;
            }
        }
    }
    std::vector<ObservedGroup> groups;
    groups.reserve(seen.size());
    for (auto& [name, one] : seen) {
        groups.push_back({.name = name,
                          .description = one.description,
                          .ranks = one.listed.empty() ? std::vector<int>(one.called.begin(), one.called.end())
                                                      : std::move(one.listed),
                          .traffic = most(one.by_rank)});
    }
    return groups;
}

}  // namespace rankscope
