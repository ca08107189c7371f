// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <remote/desk/node/agent_failures.h>
#include <remote/desk/run/run_tracker.h>
#include <remote/desk/text.h>

#include <algorithm>
#include <tuple>

namespace rankscope {
namespace {

constexpr const char* kContext = "RunTracker";

std::string remedy_for_lost(const EndEvent& told) {
    switch (told.outcome) {
        case Outcome::Lost:  // the node's own words, when it was up again
            return text(
                kContext,
                "`journalctl -b -1` there may say why; `rankscopectl runs rerun` starts the run again.");
        case Outcome::Stopped:
            return text(kContext, "Was the node shut down, or did somebody end the agent there?");
        default:
            return text(kContext, "Check whether it is up, and the network between the nodes.");
    }
}

bool is_failure(const ExitEvent& exit) {
    return !exit.requested && (exit.code != 0 || exit.signal != 0);
}

}  // namespace

Event desk_stage(const std::string& name, StageStatus status, const std::string& detail, double progress) {
    Event event;
    event.body = StageEvent{name, status, detail, progress};
    return event;
}

void RunTracker::set_plan(const LaunchPlan& plan) {
    plan_ = plan;
    ranks_.resize(plan.ranks.size());
    own_program_ = std::any_of(plan.ranks.begin(), plan.ranks.end(), [](const RankPlan& rank) {
        return rank.command.empty() || rank.command.front() != "{worker}";
    });
}

std::vector<Event> RunTracker::observe(const Event& event) {
    std::vector<Event> out;
    if (const auto* stage = event.as<StageEvent>()) {
        observe_stage(event, *stage, out);
    } else if (const auto* metric = event.as<MetricEvent>()) {
        mark(event.rank, metric->step >= 0, out);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        observe_exit(event, *exit);
    } else if (const auto* end = event.as<EndEvent>()) {
        if (event.node.empty()) {
            over_ = true;
        } else {
            ended_[event.node] = *end;
            // Lost, or ended by its supervisor for what it heard, or no longer heard, of the others'.
            if ((end->outcome == Outcome::Lost || end->outcome == Outcome::Failed) &&
                failure_cause_.empty()) {
                failure_cause_ = text(kContext, "%1: %2", {event.node, end->detail});
                lost_ = true;
            }
        }
    }
    return out;
}

void RunTracker::observe_exit(const Event& event, const ExitEvent& exit) {
    begin_attempt(exit.attempt);
    if (exit.attempt < attempt_) {
        return;  // the others have started again already
    }
    exits_.push_back({event.rank, event.node, event.t_us, exit});
    if (is_failure(exit) && failure_cause_.empty()) {
        failure_cause_ =
            text(kContext, "rank %1 on %2 %3", {std::to_string(event.rank), event.node, describe_exit(exit)});
    }
}

// What happened in earlier attempts is over and forgotten, whichever node tells first of the new one.
void RunTracker::begin_attempt(int attempt) {
    if (attempt > attempt_) {
        attempt_ = attempt;
        exits_.clear();
        if (!lost_) {
            failure_cause_.clear();
        }
    }
}

void RunTracker::observe_stage(const Event& event, const StageEvent& stage, std::vector<Event>& out) {
    if (event.node.empty()) {
        if (stage.name == "start" && stage.status == StageStatus::Done && !rendezvous_begun_) {
            rendezvous_begun_ = true;
            out.push_back(desk_stage("rendezvous", StageStatus::Begin));
        }
        // Replayed: what was concluded then is not concluded again.
        rendezvous_begun_ = rendezvous_begun_ || stage.name == "rendezvous";
        rendezvous_done_ =
            rendezvous_done_ || (stage.name == "rendezvous" && stage.status == StageStatus::Done);
        first_step_done_ =
            first_step_done_ || (stage.name == "first-step" && stage.status == StageStatus::Done);
        return;
    }
    if (stage.name == "restart" && stage.status == StageStatus::Done) {
        begin_attempt(++attempts_[event.node]);
        return;
    }
    const bool met = stage.name == "data" || stage.name == "train" || stage.name == "validate" ||
                     stage.name == "done" || (stage.name == "rendezvous" && stage.progress >= 1);
    if (stage.name == "first-step" || met) {
        mark(event.rank, stage.name == "first-step", out);
    }
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
            out.push_back(desk_stage("rendezvous",
                                     rendezvous_done_ ? StageStatus::Done : StageStatus::Progress,
                                     text(kContext, "%1 of %2 ranks have met",
                                          {std::to_string(met_), std::to_string(ranks_.size())}),
                                     met_ / world));
            if (rendezvous_done_) {
                out.push_back(desk_stage("first-step", StageStatus::Begin));
            }
        }
    }
    if (stepped && !seen.stepped) {
        seen.stepped = true;
        ++stepped_;
        if (!first_step_done_) {
            first_step_done_ = stepped_ == static_cast<int>(ranks_.size());
            out.push_back(desk_stage("first-step",
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

// The first rank that failed on its own. One that only lost its peer is a consequence, wherever the nodes'
// clocks put it; one that was ended by our own stop is never the cause.
const RunTracker::Exit* RunTracker::culprit() const {
    const Exit* best = nullptr;
    const auto key = [](const Exit& exit) {
        // As torchrun: the first failure counts, not the first process gone; the one may take a while to end.
        const auto failed = exit.event.failed_us > 0 ? std::min(exit.event.failed_us, exit.t_us) : exit.t_us;
        return std::tuple(exit.event.code == kExitPeerLost ? 1 : 0, failed);
    };
    for (const auto& exit : exits_) {
        if (is_failure(exit.event) && (best == nullptr || key(exit) < key(*best))) {
            best = &exit;
        }
    }
    return best;
}

bool RunTracker::stopped_before(std::int64_t t_us) const {
    return std::any_of(exits_.begin(), exits_.end(),
                       [t_us](const Exit& exit) { return exit.event.requested && exit.t_us < t_us; });
}

// Both sides of a cut name the other: the node that most of them miss is the one, else what the master says.
// A node that was away and says itself what happened to it knows best.
const EndEvent* RunTracker::end_that_names_a_lost_node() const {
    std::map<std::string, int> claims;
    for (const auto& [node, end] : ended_) {
        claims[end.lost_node] += end.lost_node.empty() ? 0 : 1;
    }
    const EndEvent* best = nullptr;
    const auto weight = [&](const std::string& node, const EndEvent& end) {
        return std::tuple(node == end.lost_node, claims[end.lost_node], node == plan_.master_node);
    };
    std::tuple<bool, int, bool> best_weight{false, 0, false};
    for (const auto& [node, end] : ended_) {
        if (!end.lost_node.empty() && (best == nullptr || weight(node, end) > best_weight)) {
            best = &end;
            best_weight = weight(node, end);
        }
    }
    return best;
}

EndEvent RunTracker::verdict(bool by_user) const {
    EndEvent end;
    if (const EndEvent* told = end_that_names_a_lost_node(); told != nullptr && !by_user) {
        // The ranks that ended on their own then had lost it, too.
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        end.lost_node = told->lost_node;
        end.detail = text(kContext, "%1 was lost: %2.", {told->lost_node, told->detail}) + ' ' +
                     remedy_for_lost(*told);
        return end;
    }
    const auto lost = std::find_if(ended_.begin(), ended_.end(),
                                   [](const auto& entry) { return entry.second.outcome == Outcome::Lost; });
    const Exit* exit = culprit();
    // A rank that lost its peer is no culprit where the peer was ended by a stop that reached its node first,
    // or went down with a whole node.
    const bool consequence = exit != nullptr && exit->event.code == kExitPeerLost &&
                             (by_user || lost != ended_.end() || stopped_before(exit->t_us));
    if (exit != nullptr && !consequence) {
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        end.has_culprit = true;
        end.culprit = {exit->rank,         exit->node,         exit->event.code,
                       exit->event.signal, exit->event.reason, exit->event.last_lines};
        end.detail = text(kContext, "Rank %1 on %2 %3",
                          {std::to_string(exit->rank), exit->node, describe_exit(exit->event)});
        if (!end.detail.ends_with('.')) {
            end.detail += '.';
        }
        if (attempt_ > 0) {
            end.detail += ' ' + text(kContext, "All ranks had been started again %1 times before.",
                                     {std::to_string(attempt_)});
        }
        return end;
    }
    if (lost != ended_.end()) {
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        end.detail =
            text(kContext, "The supervisor of %1 was killed; its ranks ended with it.", {lost->first});
        return end;
    }
    const auto failed = std::find_if(ended_.begin(), ended_.end(), [](const auto& entry) {
        return entry.second.outcome == Outcome::Failed;
    });
    if (failed != ended_.end() && !consequence) {  // its supervisor says so, though no rank's end shows why
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        const EndEvent& told = failed->second;
        if (told.has_culprit) {  // the supervisors' link told, where the rank's own end did not reach us
            end.has_culprit = true;
            end.culprit = told.culprit;
            ExitEvent how;
            how.code = told.culprit.code;
            how.signal = told.culprit.signal;
            how.reason = told.culprit.reason;
            end.detail = text(kContext, "Rank %1 on %2 %3",
                              {std::to_string(told.culprit.rank), told.culprit.node, describe_exit(how)}) +
                         '.';
            return end;
        }
        end.detail = text(kContext, "The run failed on %1.", {failed->first});
        return end;
    }
    const bool stopped = std::any_of(ended_.begin(), ended_.end(), [](const auto& entry) {
        return entry.second.outcome == Outcome::Stopped;
    });
    if (by_user || stopped || consequence) {
        end.outcome = Outcome::Stopped;
        end.exit_code = 130;
        end.detail = text(kContext, "Stopped by the user.");
        return end;
    }
    end.outcome = Outcome::Done;
    end.detail = text(kContext, "All %1 ranks finished.", {std::to_string(plan_.world_size)});
    return end;
}

std::optional<DiagnosisEvent> RunTracker::diagnosis() const {
    const Exit* exit = culprit();
    if (exit == nullptr) {
        return std::nullopt;
    }
    const ExitHint hint = hint_for_exit(exit->node, exit->event);
    if (hint.id.empty()) {
        return std::nullopt;
    }
    DiagnosisEvent diagnosis;
    diagnosis.id = hint.id;
    diagnosis.title = hint.what;
    diagnosis.evidence = exit->event.last_lines;
    if (!hint.remedy.empty()) {
        diagnosis.fix.push_back(hint.remedy);
    }
    return diagnosis;
}

}  // namespace rankscope
