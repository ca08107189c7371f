// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/start_times.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <algorithm>
#include <map>

namespace rankscope::gui {

namespace {

/// How far a rank is: 0 not started, 1 started, 2 at the rendezvous, 3 past it, 4 stepped.
int progress_of(const StartTimes::Rank& rank) {
    return rank.stepped != 0         ? 4
           : rank.met != 0           ? 3
           : rank.at_rendezvous != 0 ? 2
           : rank.started != 0       ? 1
                                     : 0;
}

StartSpan span_of(const RunState& state, StageName name) {
    for (const StageState& stage : state.stages) {
        if (stage.name == name && stage.begun) {
            return {stage.begin_us, stage.done || stage.failed ? stage.end_us : 0};
        }
    }
    return {};
}

std::int64_t first_of(std::initializer_list<std::int64_t> times) {
    for (const std::int64_t time : times) {
        if (time != 0) {
            return time;
        }
    }
    return 0;
}

std::array<StartSpan, kStartParts> spans_of(const RunState& state, const StartTimes::Rank& rank) {
    std::array<StartSpan, kStartParts> spans{};
    const auto at = [&](StartPart part) -> StartSpan& { return spans[std::size_t(part)]; };
    at(StartPart::Connect) = span_of(state, StageName::Connect);
    at(StartPart::Push) = span_of(state, StageName::Push);
    const StartSpan start = span_of(state, StageName::Start);
    at(StartPart::Process) = {start.begin_us, rank.started};
    if (rank.started == 0) {
        return spans;
    }
    // A program of the user's says nothing of itself: the desk saw by its output that its ranks have met.
    const std::int64_t met = span_of(state, StageName::Rendezvous).end_us;
    at(StartPart::Imports) = {
        rank.started, first_of({rank.at_rendezvous, rank.met, rank.stepped, met > rank.started ? met : 0})};
    if (rank.at_rendezvous != 0) {
        at(StartPart::Rendezvous) = {rank.at_rendezvous, first_of({rank.met, rank.stepped})};
    }
    if (rank.met != 0) {
        at(StartPart::FirstStep) = {rank.met, rank.stepped};
    }
    return spans;
}

/// Begins with the first, ends with the last; not over while one is not.
void join(StartSpan& all, const StartSpan& one) {
    if (!one.begun()) {
        return;
    }
    const bool open = (all.begun() && all.end_us == 0) || one.end_us == 0;
    all.begin_us = all.begun() ? std::min(all.begin_us, one.begin_us) : one.begin_us;
    all.end_us = open ? 0 : std::max(all.end_us, one.end_us);
}

}  // namespace

void StartTimes::apply(const Event& event, std::size_t ranks) {
    if (event.rank < 0 || std::size_t(event.rank) >= std::max(ranks, ranks_.size())) {
        return;
    }
    ranks_.resize(std::max(ranks, ranks_.size()));
    Rank& rank = ranks_[std::size_t(event.rank)];
    if (event.as<MetricEvent>() != nullptr) {
        rank.stepped = rank.stepped == 0 ? event.t_us : rank.stepped;
        missing_.erase(event.rank);
        return;
    }
    const auto* stage = event.as<StageEvent>();
    if (stage == nullptr) {
        return;
    }
    const bool done = stage->status == StageStatus::Done;
    if (stage->name == StageName::Start && done) {
        rank = {};  // also when it is started again
        rank.started = event.t_us;
    } else if (stage->name == StageName::Rendezvous) {
        rank.at_rendezvous = rank.at_rendezvous == 0 ? event.t_us : rank.at_rendezvous;
        if (!stage->waiting_for.empty()) {
            missing_ = {stage->waiting_for.begin(), stage->waiting_for.end()};
        }
        missing_.erase(event.rank);
        if (rank.met == 0 && (done || stage->progress >= 1)) {
            rank.met = event.t_us;
        }
    } else if (stage->name == StageName::Data || stage->name == StageName::Train) {
        rank.met = rank.met == 0 ? event.t_us : rank.met;
    } else if (stage->name == StageName::FirstStep && done) {
        rank.stepped = rank.stepped == 0 ? event.t_us : rank.stepped;
    }
}

const StartTimes::Rank& StartTimes::rank(std::size_t rank) const {
    static const Rank none;
    return rank < ranks_.size() ? ranks_[rank] : none;
}

std::vector<int> awaited_ranks(const RunState& state, const StartTimes& times) {
    std::vector<int> awaited;
    if (state.first_step_us != 0 || has_no_steps(state) || state.outcome != Outcome::Running) {
        return awaited;
    }
    for (const int rank : times.missing()) {
        if (rank >= 0 && std::size_t(rank) < state.ranks.size() &&
            progress_of(times.rank(std::size_t(rank))) < 3) {
            awaited.push_back(rank);
        }
    }
    if (!awaited.empty()) {
        return awaited;
    }
    int least = 4;
    int most = 0;
    for (std::size_t i = 0; i < state.ranks.size(); ++i) {
        const int progress = progress_of(times.rank(i));
        least = std::min(least, progress);
        most = std::max(most, progress);
    }
    for (std::size_t i = 0; i < state.ranks.size() && least < most; ++i) {
        if (progress_of(times.rank(i)) == least) {
            awaited.push_back(int(i));
        }
    }
    return awaited;
}

std::vector<StartRow> start_rows(const RunState& state, const StartTimes& times) {
    const std::vector<int> awaited = awaited_ranks(state, times);
    const bool by_node = state.ranks.size() > kStartRowsOfRanks;
    std::vector<StartRow> rows;
    std::map<std::string, std::size_t> row_of;
    for (std::size_t i = 0; i < state.ranks.size(); ++i) {
        const std::string& node = state.ranks[i].node;
        const auto found = row_of.find(node);
        if (!by_node || found == row_of.end()) {
            row_of[node] = rows.size();
            rows.push_back({node, {}, {}, false});
        }
        StartRow& row = by_node ? rows[row_of[node]] : rows.back();
        const auto spans = spans_of(state, times.rank(i));
        for (std::size_t part = 0; part < kStartParts; ++part) {
            join(row.spans[part], spans[part]);
        }
        row.ranks.push_back(int(i));
        row.awaited = row.awaited || std::binary_search(awaited.begin(), awaited.end(), int(i));
    }
    std::stable_partition(rows.begin(), rows.end(), [](const StartRow& row) { return row.awaited; });
    return rows;
}

}  // namespace rankscope::gui
