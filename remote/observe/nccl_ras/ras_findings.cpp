// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_ras/ras_findings.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {
namespace {

/// Ranks that have launched the same number of operations of one function.
struct Group {
    int count = 0;
    std::vector<RasRank> ranks;
};
using Groups = std::map<std::uint64_t, Group>;  // by what they have launched

bool by_rank(const RasRank& a, const RasRank& b) {
    return a.rank < b.rank;
}

bool answers(RasRankState state) {
    return state != RasRankState::NoAnswer && state != RasRankState::Dead && state != RasRankState::NotMember;
}

/// The text names only the few: where all groups but one are named, the others are in that one.
void name_the_rest(const RasCommunicator& communicator, Groups& groups) {
    Group* unnamed = nullptr;
    std::set<int> others;
    for (auto& [launched, group] : groups) {
        if (static_cast<std::size_t>(std::max(group.count, 0)) == group.ranks.size()) {
            for (const RasRank& rank : group.ranks) {
                others.insert(rank.rank);
            }
        } else if (unnamed != nullptr || !group.ranks.empty()) {
            return;
        } else {
            unnamed = &group;
        }
    }
    for (const RasRank& rank : communicator.ranks) {
        if (!answers(rank.state)) {
            others.insert(rank.rank);
        }
    }
    const auto size =
        static_cast<std::size_t>(std::clamp(communicator.size, 0, static_cast<int>(kMostRasRanks)));
    if (unnamed == nullptr || others.size() + static_cast<std::size_t>(std::max(unnamed->count, 0)) != size) {
        return;
    }
    for (int rank = 0; rank < communicator.size; ++rank) {
        if (!others.contains(rank)) {
            unnamed->ranks.emplace_back().rank = rank;
        }
    }
    // Each is a rank of this communicator only if all the named ones are, too.
    if (unnamed->ranks.size() != static_cast<std::size_t>(unnamed->count)) {
        unnamed->ranks.clear();
    }
}

std::map<std::string, Groups> groups_of(const RasCommunicator& communicator) {
    std::map<std::string, Groups> all;
    for (const RasRank& rank : communicator.ranks) {
        for (const RasCount& count : rank.counts) {
            all[count.collective][count.launched].ranks.push_back(rank);
        }
    }
    if (communicator.groups.empty()) {
        for (auto& [collective, groups] : all) {
            for (auto& [launched, group] : groups) {
                group.count = static_cast<int>(group.ranks.size());
            }
        }
        return all;
    }
    for (const RasCountGroup& group : communicator.groups) {
        all[group.count.collective][group.count.launched].count = group.ranks;
    }
    for (auto& [collective, groups] : all) {
        name_the_rest(communicator, groups);
    }
    return all;
}

/// What most ranks have launched; of two equal halves, what the half that is ahead has.
std::uint64_t usual_count(const Groups& groups) {
    const auto most = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.count, a.first) < std::pair(b.second.count, b.first);
    });
    return most->first;
}

std::vector<int> numbers_of(const RasFinding& finding) {
    std::vector<int> numbers;
    for (const RasRank& rank : finding.ranks) {
        numbers.push_back(rank.rank);
    }
    return numbers;
}

RasFinding of(const RasCommunicator& communicator, RasFault fault) {
    RasFinding finding;
    finding.fault = fault;
    finding.communicator = communicator.hash;
    finding.size = communicator.size;
    return finding;
}

/// The same ranks behind in one function and ahead in another: they have called the other one.
void merge_other_collectives(std::vector<RasFinding>& found) {
    std::map<std::vector<int>, std::size_t> behind;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].fault == RasFault::Behind && !found[i].ranks.empty()) {
            behind.try_emplace(numbers_of(found[i]), i);
        }
    }
    std::set<std::size_t> merged;
    for (RasFinding& finding : found) {
        const auto other = finding.fault == RasFault::Ahead ? behind.find(numbers_of(finding)) : behind.end();
        if (other != behind.end()) {
            finding.fault = RasFault::OtherCollective;
            finding.expected_collective = found[other->second].collective;
            merged.insert(other->second);
            behind.erase(other);
        }
    }
    std::size_t index = 0;
    std::erase_if(found, [&](const RasFinding&) { return merged.contains(index++); });
}

void find_counts(const RasCommunicator& communicator, std::vector<RasFinding>& all) {
    std::vector<RasFinding> found;
    for (const auto& [collective, groups] : groups_of(communicator)) {
        const std::uint64_t usual = usual_count(groups);
        for (const auto& [launched, group] : groups) {
            if (launched == usual) {
                continue;
            }
            RasFinding finding = of(communicator, launched < usual ? RasFault::Behind : RasFault::Ahead);
            finding.count = group.count;
            finding.ranks = group.ranks;
            finding.collective = collective;
            finding.launched = launched;
            finding.expected = usual;
            std::sort(finding.ranks.begin(), finding.ranks.end(), by_rank);
            found.push_back(std::move(finding));
        }
    }
    merge_other_collectives(found);
    std::move(found.begin(), found.end(), std::back_inserter(all));
}

std::optional<RasFault> fault_of(RasRankState state, bool others_run) {
    using enum RasRankState;
    switch (state) {
        case Dead:
            return RasFault::Dead;
        case NoAnswer:
            return RasFault::NoAnswer;
        case NotMember:
            return RasFault::NotMember;
        case Aborted:
            return RasFault::Aborted;
        case Finalizing:
            return others_run ? std::optional(RasFault::Finalizing) : std::nullopt;
        case Initializing:
            return others_run ? std::optional(RasFault::Initializing) : std::nullopt;
        default:
            return std::nullopt;
    }
}

void find_states(const RasCommunicator& communicator, std::vector<RasFinding>& all) {
    // The text names states only where they differ.
    const bool others_run =
        std::any_of(communicator.ranks.begin(), communicator.ranks.end(),
                    [](const RasRank& rank) {
                        return rank.state == RasRankState::Running || rank.state == RasRankState::Unknown;
                    }) ||
        !communicator.label.empty();
    std::map<std::pair<RasFault, NcclError>, std::vector<RasRank>> found;
    for (const RasRank& rank : communicator.ranks) {
        if (const auto fault = fault_of(rank.state, others_run)) {
            found[{*fault, NcclError::None}].push_back(rank);
        }
        if (rank.init_error != NcclError::None) {
            found[{RasFault::InitError, rank.init_error}].push_back(rank);
        }
        if (rank.async_error != NcclError::None) {
            found[{RasFault::AsyncError, rank.async_error}].push_back(rank);
        }
    }
    for (auto& [key, ranks] : found) {
        RasFinding finding = of(communicator, key.first);
        finding.error = key.second;
        finding.count = static_cast<int>(ranks.size());
        finding.ranks = std::move(ranks);
        std::sort(finding.ranks.begin(), finding.ranks.end(), by_rank);
        all.push_back(std::move(finding));
    }
    const bool named = std::any_of(communicator.ranks.begin(), communicator.ranks.end(),
                                   [](const RasRank& rank) { return !answers(rank.state); });
    if (communicator.missing > 0 && !named) {
        RasFinding finding = of(communicator, RasFault::NoAnswer);
        finding.count = communicator.missing;
        all.push_back(std::move(finding));
    }
}

/// Processes that are the ranks of no communicator that the report names.
void find_processes(const std::vector<RasProcess>& processes, RasFault fault, std::vector<RasFinding>& all) {
    std::set<std::pair<std::int64_t, std::string>> known;
    for (const RasFinding& finding : all) {
        for (const RasRank& rank : finding.ranks) {
            known.emplace(rank.pid, rank.host);
        }
    }
    RasFinding finding;
    finding.fault = fault;
    for (const RasProcess& process : processes) {
        if (!known.contains({process.pid, process.host})) {
            RasRank& rank = finding.ranks.emplace_back();
            rank.pid = process.pid;
            rank.host = process.host;
            rank.state = fault == RasFault::Dead ? RasRankState::Dead : RasRankState::NoAnswer;
        }
    }
    finding.count = static_cast<int>(finding.ranks.size());
    if (finding.count > 0) {
        all.push_back(std::move(finding));
    }
}

auto identity_of(const RasFinding& finding) {
    return std::tuple(finding.fault, finding.communicator, finding.collective, finding.expected_collective,
                      finding.launched, finding.expected, finding.error, finding.count, numbers_of(finding));
}

}  // namespace

std::vector<RasFinding> ras_findings(const RasReport& report, const std::vector<RasFinding>& before) {
    std::vector<RasFinding> found;
    for (const RasCommunicator& communicator : report.communicators) {
        find_states(communicator, found);
        find_counts(communicator, found);
    }
    find_processes(report.dead, RasFault::Dead, found);
    find_processes(report.missing, RasFault::NoAnswer, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const RasFinding& a, const RasFinding& b) { return a.fault < b.fault; });
    std::set<decltype(identity_of(std::declval<RasFinding>()))> earlier;
    for (const RasFinding& finding : before) {
        earlier.insert(identity_of(finding));
    }
    for (RasFinding& finding : found) {
        finding.standing = earlier.contains(identity_of(finding));
    }
    return found;
}

}  // namespace rankscope
