// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/ras_watch.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";

std::optional<CollectiveFault> fault_of(RasFault fault) {
    switch (fault) {
        case RasFault::Dead:
        case RasFault::NoAnswer:
            return CollectiveFault::Silent;
        case RasFault::InitError:
        case RasFault::AsyncError:
            return CollectiveFault::Error;
        case RasFault::OtherCollective:
            return CollectiveFault::OtherOperation;
        case RasFault::Behind:
            return CollectiveFault::NotEntered;
        case RasFault::Ahead:
            return CollectiveFault::Alone;
        default:
            return std::nullopt;  // a state that passes, or follows from another fault
    }
}

/// All that have launched as much as `count` says, or more.
std::vector<int> ranks_with(const RasReport& report, const RasFinding& finding, const RasCount& count,
                            const RankDirectory& directory, const LaunchPlan& plan) {
    std::vector<int> ranks;
    for (const auto& communicator : report.communicators) {
        if (communicator.hash != finding.communicator) {
            continue;
        }
        for (const auto& rank : communicator.ranks) {
            const bool entered =
                std::any_of(rank.counts.begin(), rank.counts.end(), [&](const RasCount& one) {
                    return one.collective == count.collective && one.launched >= count.launched;
                });
            if (const int known = directory.rank_of(rank, communicator.hash, communicator.size, plan);
                entered && known >= 0) {
                ranks.push_back(known);
            }
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::string named(const std::vector<int>& ranks) {
    return ranks.size() == 1 ? text(kContext, "rank %1", {list_ranks(ranks)})
                             : text(kContext, "ranks %1", {list_ranks(ranks)});
}

std::string operation(const std::string& collective) {
    return collective.empty() ? text(kContext, "collectives") : collective;
}

std::string sentence(const RasFinding& finding, const CollectiveFinding& found) {
    const std::string who = named(found.ranks);
    switch (finding.fault) {
        case RasFault::Dead:
            return text(kContext, "%1 (%2): considered dead", {who, found.group});
        case RasFault::NoAnswer:
            return text(kContext, "%1 (%2): no answer", {who, found.group});
        case RasFault::InitError:
            return text(kContext, "%1 (%2): error of the initialization: %3",
                        {who, found.group, found.reason});
        case RasFault::AsyncError:
            return text(kContext, "%1 (%2): error: %3", {who, found.group, found.reason});
        case RasFault::OtherCollective:
            return text(
                kContext, "%1 (%2): %3 launched where the others have launched %4",
                {who, found.group, operation(finding.collective), operation(finding.expected_collective)});
        default:
            return text(kContext, "%1 (%2): %3 launched %4 times, by most others %5 times",
                        {who, found.group, operation(finding.collective), std::to_string(finding.launched),
                         std::to_string(finding.expected)});
    }
}

}  // namespace

std::string communicator_name(std::uint64_t hash) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr;
    return text(kContext, "communicator 0x%1", {std::string(digits.data(), end)});
}

std::vector<CollectiveFinding> collective_findings(const RasReport& report, std::vector<RasFinding>& before,
                                                   const char* source, const RankDirectory& directory,
                                                   const LaunchPlan& plan) {
    auto findings = ras_findings(report, before);
    std::vector<CollectiveFinding> all;
    for (const auto& finding : findings) {
        const auto fault = fault_of(finding.fault);
        CollectiveFinding found;
        for (const auto& rank : finding.ranks) {
            if (const int known = directory.rank_of(rank, finding.communicator, finding.size, plan);
                known >= 0) {
                found.ranks.push_back(known);
            }
        }
        std::sort(found.ranks.begin(), found.ranks.end());
        found.ranks.erase(std::unique(found.ranks.begin(), found.ranks.end()), found.ranks.end());
        if (!fault || found.ranks.empty()) {
            continue;
        }
        found.fault = *fault;
        found.source = source;
        found.group = communicator_name(finding.communicator);
        found.standing = finding.standing;
        found.collective = finding.collective;
        switch (*fault) {
            case CollectiveFault::Silent:
                found.reason = to_string(finding.fault);
                break;
            case CollectiveFault::Error:
                found.reason = to_string(finding.error);
                break;
            case CollectiveFault::OtherOperation: {
                found.collective = finding.expected_collective;
                found.calls.push_back({.ranks = found.ranks, .call = finding.collective});
                break;
            }
            case CollectiveFault::NotEntered:
                found.sequence = finding.launched + 1;
                found.entered =
                    ranks_with(report, finding, {finding.collective, finding.expected}, directory, plan);
                break;
            default:
                found.sequence = finding.launched;
                found.entered = found.ranks;
                break;
        }
        found.evidence.push_back(std::string(source) + ": " + sentence(finding, found));
        all.push_back(std::move(found));
    }
    before = std::move(findings);
    return all;
}

}  // namespace rankscope::inline runs
