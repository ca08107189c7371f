// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/desk/runs/run/victims.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/verdict_source.h>

#include <algorithm>
#include <cmath>
#include <system_error>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunTracker";
constexpr std::size_t kNamedRanks = 8;
// A program that prints on after this long has its ranks together: one that waits for the others is silent, or
// complains on stderr.
constexpr std::int64_t kPrintsOnUs = 3'000'000;

}  // namespace

void RunTracker::set_plan(const LaunchPlan& plan) {
    plan_ = plan;
    ranks_.resize(plan.ranks.size());
    own_program_ = std::any_of(plan.ranks.begin(), plan.ranks.end(), [](const RankPlan& rank) {
        return rank.command.empty() || rank.command.front() != "{worker}";
    });
}

std::vector<Event> RunTracker::observe(const Event& event) {
    std::vector<Event> out;
    hardware_.observe(event);
    memory_.observe(event);
    const auto* of_node = event.as<EndEvent>();
    if (!event.node.empty() && of_node == nullptr) {
        auto& sign = last_sign_[event.node];
        sign = std::max(sign, event.t_us);
    }
    if (const auto* stage = event.as<StageEvent>()) {
        observe_stage(event, *stage, out);
    } else if (const auto* metric = event.as<MetricEvent>()) {
        if (event.rank >= 0 && event.rank < static_cast<int>(ranks_.size())) {
            auto& step = ranks_[static_cast<std::size_t>(event.rank)].step;
            step = std::max(step, metric->step);
        }
        mark(event.rank, metric->step >= 0, out);
        observe_loss(event, *metric, out);
    } else if (const auto* log = event.as<LogEvent>()) {
        observe_output(event, *log, out);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        observe_exit(event, *exit);
    } else if (const auto* inner = event.as<InnerRankEvent>()) {
        observe_inner_rank(event, *inner);
    } else if (const auto* notice = event.as<NoticeEvent>(); notice != nullptr && !event.node.empty()) {
        if (notice->id == "rank-stopped") {
            stopped_.insert(event.rank);
        } else if (notice->id == "rank-continued") {
            stopped_.erase(event.rank);
        }
    } else if (const auto* verdict = event.as<DiagnosisEvent>(); verdict != nullptr && event.node.empty()) {
        observe_verdict(*verdict);
    } else if (const auto* end = event.as<EndEvent>()) {
        if (event.node.empty()) {
            over_ = true;
        } else {
            ended_[event.node] = *end;
            end_reported_us_[event.node] = event.t_us;
            ended_us_ = end->presumed ? ended_us_ : std::max(ended_us_, event.t_us);
            if (own_program_ && end->outcome == Outcome::Done && all_nodes_ended()) {
                // It is over and well: whatever it needed the others for, it had.
                for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
                    mark_one(rank, false, out);
                }
            }
            // Lost, or ended by its supervisor for what it heard, or no longer heard, of the others'.
            if ((end->outcome == Outcome::Lost || end->outcome == Outcome::Failed) &&
                failure_cause_.empty()) {
                failure_cause_ = end->lost_node.empty()
                                     ? text(kContext, "%1: %2", {event.node, end->detail})
                                     : text(kContext, "%1 has lost %2", {event.node, end->lost_node});
                lost_ = true;
            }
        }
    }
    return out;
}

// The first loss that is no number is said at once; whether it stayed so, with the end.
void RunTracker::observe_loss(const Event& event, const MetricEvent& metric, std::vector<Event>& out) {
    if (event.rank < 0 || event.rank >= static_cast<int>(ranks_.size()) || !metric.has("loss")) {
        return;
    }
    RankSeen& seen = ranks_[static_cast<std::size_t>(event.rank)];
    const double loss = metric.value("loss");
    if (std::isfinite(loss)) {
        seen.broken = false;
        return;
    }
    if (!seen.broken) {
        seen.broken = true;
        seen.broken_step = metric.step;
        seen.broken_loss = std::isnan(loss) ? "NaN" : loss > 0 ? "Inf" : "-Inf";
    }
    if (!seen.told) {
        seen.told = true;
        const std::string rank = std::to_string(event.rank);
        out.push_back(desk_stage(
            StageName::Note, StageStatus::Progress,
            metric.step >= 0
                ? text(kContext, "The loss of rank %1 on %2 is %3 at step %4.",
                       {rank, event.node, seen.broken_loss, std::to_string(metric.step)})
                : text(kContext, "The loss of rank %1 on %2 is %3.", {rank, event.node, seen.broken_loss})));
    }
}

// A program of the user's that prints no steps has met when it prints on; one rank speaks for all, as with steps.
void RunTracker::observe_output(const Event& event, const LogEvent& log, std::vector<Event>& out) {
    if (rendezvous_done_ || !own_program_ || log.is_stderr || event.rank < 0 ||
        event.rank >= static_cast<int>(ranks_.size())) {
        return;
    }
    RankSeen& seen = ranks_[static_cast<std::size_t>(event.rank)];
    if (seen.printed_us == 0) {
        seen.printed_us = event.t_us;
    } else if (event.t_us - seen.printed_us >= kPrintsOnUs) {
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
            mark_one(rank, false, out);
        }
    }
}

// ", but the loss is NaN from step 61 on rank 0": of the first rank; empty: nothing is.
std::string RunTracker::what_is_wrong_with_the_loss() const {
    const auto broken =
        std::find_if(ranks_.begin(), ranks_.end(), [](const RankSeen& rank) { return rank.broken; });
    if (broken == ranks_.end()) {
        return {};
    }
    const std::string rank = std::to_string(broken - ranks_.begin());
    return ' ' + (broken->broken_step >= 0
                      ? text(kContext, "But the loss is %1 from step %2 on (rank %3).",
                             {broken->broken_loss, std::to_string(broken->broken_step), rank})
                      : text(kContext, "But the loss is %1 (rank %2).", {broken->broken_loss, rank}));
}

void RunTracker::observe_verdict(const DiagnosisEvent& verdict) {
    if (verdict.id == FailureId("rank-slow") || is_from_logs(verdict)) {
        return;  // it holds nothing: the run makes progress; what logs show is combined at the end
    }
    if (verdict.phase == VerdictPhase::End) {
        return;
    }
    std::erase_if(live_, [&](const DiagnosisEvent& live) {
        return live.id == verdict.id && live.node == verdict.node && live.rank == verdict.rank;
    });
    if (verdict.phase == VerdictPhase::Live) {
        live_.push_back(verdict);
    }
}

// Of several, the surest; of equals the last.
const DiagnosisEvent* RunTracker::held() const {
    const DiagnosisEvent* best = nullptr;
    for (const auto& live : live_) {
        if (best == nullptr || !outranks(*best, live)) {
            best = &live;
        }
    }
    return best;
}

bool RunTracker::is_victim(const Exit& exit) const {
    const bool known = exit.rank >= 0 && exit.rank < static_cast<int>(ranks_.size());
    const bool meets =
        known && ranks_[static_cast<std::size_t>(exit.rank)].step < 0 && runs_engine(plan_, exit.rank);
    return rankscope::is_victim(exit.event, meets, held());
}

void RunTracker::observe_exit(const Event& event, const ExitEvent& exit) {
    begin_attempt(exit.attempt);
    if (exit.attempt < attempt_) {
        return;  // the others have started again already
    }
    exits_.push_back({event.rank, event.node, event.t_us, exit});
    // What becomes of the run is up to the program that has started a rank: it may start it again.
    if (failed_itself(exit) && !exit.inner && failure_cause_.empty()) {
        const Exit* first = culprit();
        failure_cause_ = text(kContext, "rank %1 on %2 %3",
                              {std::to_string(first->rank), first->node, describe_exit(first->event)});
    }
}

// Started again by its program: how the process before it has ended does not count.
void RunTracker::observe_inner_rank(const Event& event, const InnerRankEvent& inner) {
    std::erase_if(exits_, [&](const Exit& exit) {
        return exit.event.inner && exit.rank == event.rank && exit.event.pid != inner.pid;
    });
}

// What happened in earlier attempts is over, whichever node first reports the new one.
void RunTracker::begin_attempt(int attempt) {
    if (attempt > attempt_) {
        attempt_ = attempt;
        exits_.clear();
        stopped_.clear();
        live_.clear();
        if (!lost_) {
            failure_cause_.clear();
        }
    }
}

void RunTracker::observe_stage(const Event& event, const StageEvent& stage, std::vector<Event>& out) {
    if (event.node.empty()) {
        if (stage.name == StageName::Stop && hung_.empty()) {
            hung_ = stage.detail;
        }
        if (stage.name == StageName::Start && stage.status == StageStatus::Done && !rendezvous_begun_) {
            rendezvous_begun_ = true;
            out.push_back(desk_stage(StageName::Rendezvous, StageStatus::Begin));
        }
        // Replayed: what was concluded then is not concluded again.
        rendezvous_begun_ = rendezvous_begun_ || stage.name == StageName::Rendezvous;
        rendezvous_done_ =
            rendezvous_done_ || (stage.name == StageName::Rendezvous && stage.status == StageStatus::Done);
        first_step_done_ =
            first_step_done_ || (stage.name == StageName::FirstStep && stage.status == StageStatus::Done);
        return;
    }
    observe_waiting(event, stage, out);
    if (stage.name == StageName::Restart && stage.status == StageStatus::Done) {
        begin_attempt(++attempts_[event.node]);
        return;
    }
    const bool met = stage.name == StageName::Data || stage.name == StageName::Train ||
                     stage.name == StageName::Validate || stage.name == StageName::Done ||
                     (stage.name == StageName::Rendezvous && stage.progress >= 1);
    if (stage.name == StageName::FirstStep || met) {
        mark(event.rank, stage.name == StageName::FirstStep, out);
    }
}

// What the ranks wait for before they have met, as a stage of the run.
void RunTracker::observe_waiting(const Event& event, const StageEvent& stage, std::vector<Event>& out) {
    if (rendezvous_done_ || (stage.waiting_for.empty() && !stage.failed_dial)) {
        return;
    }
    std::string sentence;
    if (stage.failed_dial) {
        sentence = text(kContext, "%1 cannot connect to %2:%3: %4",
                        {event.node, stage.failed_dial->address, std::to_string(stage.failed_dial->port),
                         std::generic_category().message(stage.failed_dial->error)});
    } else {
        std::string who;
        for (std::size_t i = 0; i < stage.waiting_for.size() && i < kNamedRanks; ++i) {
            const int rank = stage.waiting_for[i];
            who += (i > 0 ? ", " : "") + std::to_string(rank) + " (" + node_of(rank) + ')';
        }
        sentence = stage.waiting_for.size() > kNamedRanks
                       ? text(kContext, "waiting for rank %1 and %2 more",
                              {who, std::to_string(stage.waiting_for.size() - kNamedRanks)})
                       : text(kContext, "waiting for rank %1", {who});
    }
    if (sentence == waiting_) {
        return;
    }
    waiting_ = sentence;
    Event progress = desk_stage(StageName::Rendezvous, StageStatus::Progress, sentence, stage.progress);
    auto& body = std::get<StageEvent>(progress.body);
    body.waiting_for = stage.waiting_for;
    body.failed_dial = stage.failed_dial;
    out.push_back(std::move(progress));
}

void RunTracker::mark(int rank, bool stepped, std::vector<Event>& out) {
    if (own_program_ && stepped) {
        // Most scripts print on rank 0 only. Its step needs all others: who says nothing is not who is
        // missing.
        for (int other = 0; other < static_cast<int>(ranks_.size()); ++other) {
            mark_one(other, true, out);
        }
        return;
    }
    mark_one(rank, stepped, out);
}

void RunTracker::mark_one(int rank, bool stepped, std::vector<Event>& out) {
    if (rank < 0 || rank >= static_cast<int>(ranks_.size())) {
        return;
    }
    auto& seen = ranks_[static_cast<std::size_t>(rank)];
    const auto world = static_cast<double>(ranks_.size());
    if (!seen.met) {
        seen.met = true;
        ++met_;
        if (!rendezvous_done_) {
            rendezvous_done_ = met_ == static_cast<int>(ranks_.size());
            out.push_back(desk_stage(StageName::Rendezvous,
                                     rendezvous_done_ ? StageStatus::Done : StageStatus::Progress,
                                     text(kContext, "%1 of %2 ranks have met",
                                          {std::to_string(met_), std::to_string(ranks_.size())}),
                                     met_ / world));
            if (rendezvous_done_) {
                out.push_back(desk_stage(StageName::FirstStep, StageStatus::Begin));
            }
        }
    }
    if (stepped && !seen.stepped) {
        seen.stepped = true;
        ++stepped_;
        if (!first_step_done_) {
            first_step_done_ = stepped_ == static_cast<int>(ranks_.size());
            out.push_back(desk_stage(StageName::FirstStep,
                                     first_step_done_ ? StageStatus::Done : StageStatus::Progress, "",
                                     stepped_ / world));
        }
    }
}

bool RunTracker::all_nodes_ended() const {
    return !plan_.nodes.empty() &&
           std::all_of(plan_.nodes.begin(), plan_.nodes.end(),
                       [this](const NodePlan& node) { return ended_.count(node.node) > 0; });
}

}  // namespace rankscope::inline runs
