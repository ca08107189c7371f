// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/nccl_counters.h>
#include <remote/desk/runs/watch/ras_watch.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr const char* kSource = "NCCL profiler";
constexpr std::size_t kMostLines = 8;

std::string phase_of(const NcclOperation& operation) {
    return operation.channels > 0 ? text(kContext, "%1, %2 of %3 channels done",
                                         {to_string(operation.phase), std::to_string(operation.channels_done),
                                          std::to_string(operation.channels)})
                                  : std::string(to_string(operation.phase));
}

std::string call_of(const NcclOperation& operation) {
    return text(kContext, "%1 of %2 bytes, %3",
                {operation.function, std::to_string(operation.bytes), operation.datatype});
}

std::string line_of(int rank, const NcclOperation& operation) {
    return text(kContext, "%1: rank %2: %3 %4 of %5: %6, for %7 s",
                {kSource, std::to_string(rank), call_of(operation), std::to_string(operation.sequence),
                 communicator_name(operation.communicator.value), phase_of(operation),
                 std::to_string(static_cast<long>(operation.seconds))});
}

bool is_open(const NcclOperation& operation) {
    return !operation.point_to_point && operation.phase != NcclPhase::Finished &&
           operation.phase != NcclPhase::Abandoned;
}

CollectiveFinding start(CollectiveFault fault, const NcclOperation& operation) {
    CollectiveFinding found;
    found.fault = fault;
    found.source = kSource;
    found.group = communicator_name(operation.communicator.value);
    found.collective = operation.function;
    found.sequence = operation.sequence;
    return found;
}

}  // namespace

bool NcclCounters::observe(int rank, const NcclEvent& event, RankDirectory& directory) {
    auto& known = ranks_[rank];
    for (const auto& communicator : event.communicators) {
        if (communicator.closed) {
            known.communicators.erase(communicator.id.value);
            std::erase_if(known.progress,
                          [&](const auto& entry) { return entry.first.first == communicator.id.value; });
        } else {
            known.communicators[communicator.id.value] = communicator;
            directory.add_member(communicator.id.value, communicator.rank, rank);
        }
    }
    bool advanced = false;
    for (const auto& progress : event.progress) {
        auto& before = known.progress[{progress.communicator.value, progress.function}];
        advanced = advanced || progress.called > before.called || progress.enqueued > before.enqueued ||
                   progress.finished > before.finished;
        before = progress;
    }
    known.open = event.open;
    return advanced;
}

std::vector<int> NcclCounters::members_of(std::uint64_t communicator) const {
    std::vector<int> members;
    for (const auto& [rank, known] : ranks_) {
        if (known.communicators.contains(communicator)) {
            members.push_back(rank);
        }
    }
    return members;
}

RasReport NcclCounters::report() const {
    std::map<std::uint64_t, std::set<std::string>> functions;
    for (const auto& [rank, known] : ranks_) {
        for (const auto& [key, progress] : known.progress) {
            functions[key.first].insert(key.second);
        }
    }
    std::map<std::uint64_t, RasCommunicator> communicators;
    for (const auto& [rank, known] : ranks_) {
        for (const auto& [id, communicator] : known.communicators) {
            auto& entry = communicators[id];
            entry.hash = id;
            entry.size = communicator.ranks;
            auto& member = entry.ranks.emplace_back();
            member.rank = communicator.rank;
            member.state = RasRankState::Running;
            for (const auto& function : functions[id]) {
                const auto progress = known.progress.find({id, function});
                member.counts.push_back(
                    {function, progress == known.progress.end() ? 0 : progress->second.called});
            }
        }
    }
    RasReport report;
    report.json = true;
    report.complete = true;
    for (auto& [id, communicator] : communicators) {
        report.communicators.push_back(std::move(communicator));
    }
    return report;
}

void NcclCounters::add_differences(std::vector<CollectiveFinding>& found) const {
    using Place = std::tuple<std::uint64_t, std::string, std::uint64_t>;
    std::map<Place, std::map<int, const NcclOperation*>> places;
    for (const auto& [rank, known] : ranks_) {
        for (const auto& operation : known.open) {
            if (is_open(operation) && operation.bytes > 0) {
                places[{operation.communicator.value, operation.function, operation.sequence}].emplace(
                    rank, &operation);
            }
        }
    }
    for (const auto& [place, calls] : places) {
        std::map<std::pair<std::string, std::uint64_t>, std::vector<int>> variants;
        for (const auto& [rank, operation] : calls) {
            variants[{operation->datatype, operation->bytes}].push_back(rank);
        }
        if (variants.size() < 2) {
            continue;
        }
        const bool same_type = variants.begin()->first.first == variants.rbegin()->first.first;
        auto finding = start(same_type ? CollectiveFault::OtherSize : CollectiveFault::OtherType,
                             *calls.begin()->second);
        const auto most =
            std::max_element(variants.begin(), variants.end(),
                             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        const auto equal = std::count_if(variants.begin(), variants.end(), [&](const auto& variant) {
            return variant.second.size() == most->second.size();
        });
        for (auto variant = variants.begin(); variant != variants.end(); ++variant) {
            const auto& ranks = variant->second;
            finding.calls.push_back({.ranks = ranks, .call = call_of(*calls.at(ranks.front()))});
            finding.evidence.push_back(line_of(ranks.front(), *calls.at(ranks.front())));
            if (variant != most && equal == 1) {
                finding.ranks.insert(finding.ranks.end(), ranks.begin(), ranks.end());
            }
        }
        std::sort(finding.ranks.begin(), finding.ranks.end());
        found.push_back(std::move(finding));
    }
}

// What comes behind an operation in a stream waits for it: only the oldest of each rank counts.
void NcclCounters::add_unfinished(std::vector<CollectiveFinding>& found) const {
    std::map<std::pair<Key, std::uint64_t>, std::map<int, const NcclOperation*>> oldest;
    for (const auto& [rank, known] : ranks_) {
        std::set<std::uint64_t> seen;
        for (const auto& operation : known.open) {
            if (is_open(operation) && operation.phase != NcclPhase::Called &&
                seen.insert(operation.communicator.value).second) {
                const Key key(operation.communicator.value, operation.function);
                oldest[{key, operation.sequence}].emplace(rank, &operation);
            }
        }
    }
    for (const auto& [place, calls] : oldest) {
        const auto& [key, sequence] = place;
        const auto members = members_of(key.first);
        const bool all_have_called =
            std::all_of(members.begin(), members.end(), [&, &key = key, sequence = sequence](int rank) {
                const auto& progress = ranks_.at(rank).progress;
                const auto entry = progress.find(key);
                return entry != progress.end() && entry->second.called >= sequence;
            });
        const int size = ranks_.at(calls.begin()->first).communicators.contains(key.first)
                             ? ranks_.at(calls.begin()->first).communicators.at(key.first).ranks
                             : 0;
        if (!all_have_called || members.size() < 2 || static_cast<int>(members.size()) < size) {
            continue;
        }
        auto finding = start(CollectiveFault::Unfinished, *calls.begin()->second);
        bool network = false;
        for (const auto& [rank, operation] : calls) {
            finding.ranks.push_back(rank);
            network = network || operation->network_s > 0;
            if (finding.evidence.size() < kMostLines) {
                finding.evidence.push_back(line_of(rank, *operation));
            }
        }
        finding.reason = network ? "network" : "gpu";
        found.push_back(std::move(finding));
    }
}

std::vector<CollectiveFinding> NcclCounters::open_faults() const {
    std::vector<CollectiveFinding> found;
    add_differences(found);
    add_unfinished(found);
    return found;
}

}  // namespace rankscope::inline runs
