// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/verdicts/timeline.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace rankscope::logs {
namespace {

constexpr std::size_t kOfContext = 2;  // lines of a process that one fact may fill

}  // namespace

std::vector<TimelineEntry> timeline_of(const std::vector<Rule>& rules,
                                       const std::vector<std::vector<SignatureMatches>>& found,
                                       const Judgement& judgement, const Story& story,
                                       const HostClocks& clocks) {
    std::vector<TimelineEntry> all;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (rules[rule].role == RuleRole::Harmless) {
            continue;
        }
        for (std::size_t i = 0; i < found[rule].size(); ++i) {
            const auto& signature = found[rule][i];
            const auto applied = judgement.applied.find({rule, i});
            if (applied == judgement.applied.end() && rules[rule].role != RuleRole::Context) {
                continue;  // its conditions do not hold
            }
            const auto kind = applied == judgement.applied.end() ? TimelineKind::Fact
                              : applied->second                  ? TimelineKind::Fault
                                                                 : TimelineKind::Notice;
            std::map<std::size_t, std::size_t> of_process;
            for (const auto& match : signature.kept) {
                if (kind == TimelineKind::Fact && ++of_process[match.process] > kOfContext) {
                    continue;
                }
                const auto& process = story.processes()[match.process];
                all.push_back({.kind = kind,
                               .rule = rules[rule].id,
                               .place = match.place,
                               .text = match.text,
                               .host = match.host,
                               .rank = match.rank,
                               .moment = {match.time, false},
                               .ahead_s = clocks.ahead_of(process.origin(), process.rank)});
            }
        }
    }
    for (const auto& handled : judgement.handled) {
        const auto& process = story.processes()[handled.match.process];
        all.push_back({.kind = TimelineKind::Fact,
                       .rule = rules[handled.rule].id,
                       .place = handled.match.place,
                       .text = handled.match.text,
                       .host = handled.match.host,
                       .rank = handled.match.rank,
                       .moment = {handled.match.time, false},
                       .ahead_s = clocks.ahead_of(process.origin(), process.rank)});
    }
    for (const auto& exit : story.exits()) {
        all.push_back({.kind = TimelineKind::Exit,
                       .place = exit.place,
                       .text = exit.text,
                       .host = exit.host,
                       .rank = exit.rank,
                       .moment = exit.moment,
                       .ahead_s = clocks.ahead_of(exit.printed_on, -1)});
    }
    for (const auto& process : story.processes()) {
        all.push_back({.kind = TimelineKind::Last,
                       .place = process.last.place,
                       .text = process.last.text,
                       .host = process.host,
                       .rank = process.rank,
                       .moment = process.last.moment,
                       .ahead_s = clocks.ahead_of(process.origin(), process.rank)});
    }
    // One entry for a line: the one that says most.
    const auto weight = [](const TimelineEntry& entry) {
        constexpr std::array<int, 5> kWeights{3, 0, 1, 2, 4};  // by TimelineKind
        return kWeights[static_cast<std::size_t>(entry.kind)];
    };
    std::stable_sort(all.begin(), all.end(), [&](const TimelineEntry& left, const TimelineEntry& right) {
        return std::tuple(left.place.file, left.place.line, weight(left)) <
               std::tuple(right.place.file, right.place.line, weight(right));
    });
    all.erase(std::unique(all.begin(), all.end(),
                          [](const TimelineEntry& left, const TimelineEntry& right) {
                              return left.place == right.place && left.place.line > 0;
                          }),
              all.end());
    std::set<std::tuple<std::uint32_t, std::string, int>> failed;
    const TimelineEntry* latest = nullptr;
    for (auto& entry : all) {
        if (latest != nullptr && entry.place.file != latest->place.file) {
            latest = nullptr;
        }
        if (entry.moment.known() && !entry.moment.time_of_day_only) {
            latest = &entry;
        } else {
            entry.moment = latest != nullptr ? latest->moment : Moment();
            entry.ahead_s = latest != nullptr ? latest->ahead_s : 0;
        }
        if (entry.kind == TimelineKind::Fault || entry.kind == TimelineKind::Notice) {
            entry.first = failed.emplace(entry.place.file, entry.host, entry.rank).second;
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const TimelineEntry& left, const TimelineEntry& right) {
        if (left.moment.known() && right.moment.known()) {
            return left.moment.time < right.moment.time;
        }
        return !left.moment.known() && right.moment.known();
    });
    return all;
}

}  // namespace rankscope::logs
