// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/watch/collective_cause.h>
#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/saved_flights.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/flight_recorder/flight_groups.h>
#include <remote/observe/flight_recorder/flight_match.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "SavedFlights";
constexpr int kMostRanks = 1 << 20;
constexpr double kWaitedS = 20;            // a rank that was written down while it worked has waited for less
constexpr std::int64_t kClocksApart = 60;  // seconds between the clocks of two nodes

bool waits(const FlightFinding& finding) {
    return finding.fault == FlightFault::NotEntered || finding.fault == FlightFault::Unfinished;
}

}  // namespace

int rank_of_dump(std::string_view name) {
    name = name.substr(name.find_last_of('/') + 1);
    if (const auto dot = name.find_last_of('.');
        dot != std::string_view::npos && dot + 1 < name.size() && !is_digit(name[dot + 1])) {
        name = name.substr(0, dot);
    }
    auto begin = std::string_view::npos;
    if (const auto word = name.rfind("rank"); word != std::string_view::npos) {
        begin = name.find_first_not_of("_-.", word + 4);
    }
    if (begin == std::string_view::npos || !is_digit(name[begin])) {
        begin = name.find_last_not_of("0123456789") + 1;
    }
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data() + begin, name.data() + name.size(), rank);
    return error == std::errc() && rank < kMostRanks ? rank : -1;
}

void SavedFlights::leave_out_earlier_runs() {
    const auto newest =
        std::ranges::max_element(modified_s_, {}, [](const auto& file) { return file.second; });
    if (newest == modified_s_.end()) {
        return;
    }
    const FlightDump& dump = dumps_.at(newest->first);
    std::set<int> members;
    for (const auto& group : dump.groups) {
        members.insert(group.ranks.begin(), group.ranks.end());
    }
    std::int64_t first_s = 0;
    for (const auto& entry : dump.entries) {
        const std::int64_t called_s = entry.created_ns / 1'000'000'000;
        first_s = first_s == 0 ? called_s : std::min(first_s, called_s);
    }
    for (const auto& [rank, modified_s] : modified_s_) {
        const bool written_before = modified_s > 0 && first_s > 0 && modified_s + kClocksApart < first_s;
        if (rank != newest->first && ((!members.empty() && !members.contains(rank)) || written_before)) {
            earlier_.push_back(rank);
        }
    }
    for (const int rank : earlier_) {
        dumps_.erase(rank);
        modified_s_.erase(rank);
    }
}

logs::WholeSink SavedFlights::sink() {
    return {.begins = begins_flight_dump, .take = [this](const logs::Source& source, std::string_view bytes) {
                return take(source.name, source.modified_s, bytes);
            }};
}

bool SavedFlights::take(const std::string& name, std::int64_t modified_s, std::string_view bytes) {
    const int rank = rank_of_dump(name);
    auto dump = rank >= 0 ? read_flight_dump(bytes) : std::nullopt;
    if (!dump) {
        return false;
    }
    const auto known = modified_s_.find(rank);
    if (known == modified_s_.end() || known->second < modified_s) {
        dumps_.insert_or_assign(rank, std::move(*dump));
        modified_s_.insert_or_assign(rank, modified_s);
    }
    return true;
}

int SavedFlights::world_size() const {
    int size = dumps_.empty() ? 0 : dumps_.rbegin()->first + 1;
    for (const auto& [rank, dump] : dumps_) {
        for (const auto& group : dump.groups) {
            for (const int member : group.ranks) {
                size = std::max(size, std::min(member, kMostRanks - 1) + 1);
            }
        }
    }
    return size;
}

std::vector<CollectiveFinding> SavedFlights::findings() const {
    std::int64_t newest_s = 0;
    for (const auto& [rank, modified_s] : modified_s_) {
        newest_s = std::max(newest_s, modified_s);
    }
    std::vector<CollectiveFinding> all;
    const auto roles = words_of_groups(mesh_of(observed_groups(dumps_), world_size()));
    for (const auto& finding : match_flight_dumps(dumps_, world_size())) {
        for (auto& found : collective_findings({finding}, roles)) {
            if (waits(finding)) {
                const double called_s = double(finding.variants.front().entry.created_ns) / 1e9;
                const double waited_s = double(newest_s) - called_s;
                found.standing = newest_s == 0 || called_s <= 0 || waited_s >= kWaitedS;
            }
            all.push_back(std::move(found));
        }
    }
    return by_cause(std::move(all));
}

std::optional<Verdict> SavedFlights::without_dump() const {
    const auto findings = match_flight_dumps(dumps_, world_size());
    const auto finding = std::ranges::find(findings, FlightFault::NoDump, &FlightFinding::fault);
    if (finding == findings.end() || finding->variants.empty()) {
        return std::nullopt;
    }
    const FlightVariant& waiting = finding->variants.front();
    const auto named = [](const std::vector<int>& ranks) {
        return ranks.size() == 1 ? text(kContext, "rank %1", {list_ranks(ranks)})
                                 : text(kContext, "ranks %1", {list_ranks(ranks)});
    };
    Verdict verdict;
    verdict.id = "nccl-rank-behind";
    verdict.reason = to_string(FlightFault::NoDump);
    verdict.confidence = 0.5;  // it may also have its dump elsewhere
    verdict.ranks = finding->ranks;
    verdict.rank = finding->ranks.size() == 1 ? finding->ranks.front() : -1;
    verdict.waiting = waiting.ranks;
    verdict.title = text(kContext, "There is no dump of %1, and %2 did not get beyond %3.",
                         {named(finding->ranks), named(waiting.ranks), call_of(waiting.entry)});
    verdict.evidence.push_back(
        {.text =
             text(kContext, "Flight Recorder: %1 (process group %2, collective %3): %4",
                  {named(waiting.ranks), finding->description.empty() ? finding->group : finding->description,
                   std::to_string(finding->sequence), call_of(waiting.entry)})});
    for (const auto& frame : frames_of(waiting.entry)) {
        verdict.evidence.push_back({.text = "  " + frame});
    }
    verdict.fix.push_back(text(kContext,
                               "Add the dumps of all ranks. Where one is missing, read the log of "
                               "that rank: its process may have ended before the others waited."));
    return verdict;
}

void SavedFlights::add_to(std::vector<Verdict>& verdicts) const {
    const std::map<int, RankSeen> seen;
    LaunchPlan plan;
    plan.ranks.resize(static_cast<std::size_t>(world_size()));
    for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
        plan.ranks[i].rank = static_cast<int>(i);
    }
    HangView view{.ranks = seen, .plan = plan};
    view.over = true;
    auto found = with_collectives(std::nullopt, findings(), view);
    auto made = found ? std::optional(std::move(found->verdict)) : without_dump();
    if (!made) {
        return;
    }
    Verdict& verdict = *made;
    verdict.phase = VerdictPhase::End;
    const auto same =
        std::ranges::find_if(verdicts, [&](const Verdict& other) { return other.id == verdict.id; });
    if (same != verdicts.end()) {
        verdict.evidence.insert(verdict.evidence.end(), same->evidence.begin(), same->evidence.end());
        verdict.confidence = std::max(verdict.confidence, same->confidence);
        verdicts.erase(same);
    }
    const auto place = std::ranges::find_if(
        verdicts, [&](const Verdict& other) { return other.confidence < verdict.confidence; });
    verdicts.insert(place, std::move(verdict));
}

}  // namespace rankscope::inline runs
