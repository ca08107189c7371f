// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <remote/desk/node/agent_failures.h>
#include <remote/desk/run/run_tracker.h>
#include <remote/desk/text.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/rank_activity.h>
#include <remote/diagnosis/verdict_source.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <tuple>

namespace rankscope {
namespace {

constexpr const char* kContext = "RunTracker";
constexpr std::size_t kNamedRanks = 8;
// A program that prints on after this long has its ranks together: one that waits for the others is silent, or
// complains on stderr.
constexpr std::int64_t kPrintsOnUs = 3'000'000;

std::string remedy_for_lost(const EndEvent& reported) {
    switch (reported.lost_how) {
        case LostHow::Rebooted:
            return text(
                kContext,
                "`journalctl -b -1` there may say why; `rankscopectl runs rerun` starts the run again.");
        case LostHow::Signalled:
        case LostHow::SupervisorKilled:
        case LostHow::Gone:
            return text(kContext, "Was the node shut down, or was the agent ended there?");
        case LostHow::SupervisorStopped:
            return text(kContext, "Was it stopped by a debugger or by `kill -STOP`?");
        default:
            return text(kContext, "Check whether it is up, and the network between the nodes.");
    }
}

std::string how_it_was_lost(const EndEvent& reported) {
    const std::string& node = reported.lost_node;
    switch (reported.lost_how) {
        case LostHow::Silent:
            return text(kContext, "%1 stopped answering: nothing was heard from it for %2 s.",
                        {node, std::to_string(std::lround(reported.silent_s))});
        case LostHow::Gone:
            return text(kContext, "%1 was lost: its supervisor is gone.", {node});
        case LostHow::Rebooted:
            return text(kContext, "%1 was lost: it was rebooted during the run.", {node});
        case LostHow::SupervisorKilled:
            return text(kContext, "%1 was lost: its supervisor was killed; its ranks ended with it.", {node});
        case LostHow::SupervisorStopped:
            return text(kContext,
                        "%1 stopped answering: its supervisor was stopped (state T); its ranks were ended.",
                        {node});
        default:
            return text(kContext, "%1 was lost: %2.", {node, reported.detail});
    }
}

bool is_failure(const ExitEvent& exit) {
    return !exit.requested && (exit.code != 0 || exit.signal != 0);
}

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
    if (const auto* stage = event.as<StageEvent>()) {
        observe_stage(event, *stage, out);
    } else if (const auto* metric = event.as<MetricEvent>()) {
        mark(event.rank, metric->step >= 0, out);
        observe_loss(event, *metric, out);
    } else if (const auto* log = event.as<LogEvent>()) {
        observe_output(event, *log, out);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        observe_exit(event, *exit);
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
    if (verdict.phase == VerdictPhase::Live) {
        live_ = verdict;
    } else if (verdict.phase == VerdictPhase::Over) {
        live_.reset();
    }
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

// What happened in earlier attempts is over, whichever node first reports the new one.
void RunTracker::begin_attempt(int attempt) {
    if (attempt > attempt_) {
        attempt_ = attempt;
        exits_.clear();
        stopped_.clear();
        live_.reset();
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

// The first rank that failed on its own. One that only lost its peer is a consequence, wherever the nodes'
// clocks put it; one that was ended by our own stop is never the cause.
const RunTracker::Exit* RunTracker::culprit() const {
    const Exit* best = nullptr;
    const auto key = [](const Exit& exit) {
        // As torchrun: the first failure counts, not the first process gone; the one may take a while to end.
        const auto failed = exit.event.failed_us > 0 ? std::min(exit.event.failed_us, exit.t_us) : exit.t_us;
        return std::tuple(exit.event.code == kExitPeerLost || exit.event.lost_peer ? 1 : 0, failed);
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

void RunTracker::add_attempts(EndEvent& end) const {
    if (attempt_ > 0) {
        end.detail += ' ' + text(kContext, "All ranks had been started again %1 times before.",
                                 {std::to_string(attempt_)});
    }
}

std::string RunTracker::node_of(int rank) const {
    const auto found = std::find_if(plan_.ranks.begin(), plan_.ranks.end(),
                                    [rank](const RankPlan& plan) { return plan.rank == rank; });
    return found == plan_.ranks.end() ? std::string() : found->node;
}

// The supervisors name a rank whose process is stopped, or a victim is all there is while one is.
std::optional<EndEvent> RunTracker::verdict_on_a_stopped_rank() const {
    std::map<int, int> named;
    std::map<std::string, int> lost;
    for (const auto& [node, end] : ended_) {
        if (end.has_culprit && !end.culprit.process_state.empty()) {
            ++named[end.culprit.rank];
        } else if (!end.lost_node.empty()) {
            ++lost[end.lost_node];
        }
    }
    const Exit* victim = culprit();
    if (named.empty() && lost.empty() && !stopped_.empty() && victim != nullptr && victim->event.lost_peer) {
        const int missing = victim->event.missing_rank;
        ++named[stopped_.count(missing) > 0 ? missing : *stopped_.begin()];
    }
    if (named.empty()) {
        return std::nullopt;
    }
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(named.begin(), named.end(), fewer);
    if (!lost.empty() && std::max_element(lost.begin(), lost.end(), fewer)->second > most->second) {
        return std::nullopt;
    }
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 1;
    end.has_culprit = true;
    end.culprit.rank = most->first;
    end.culprit.node = node_of(most->first);
    end.culprit.code = -1;
    end.culprit.process_state = "T";
    for (const auto& [node, reported] : ended_) {
        if (reported.has_culprit && reported.culprit.rank == most->first &&
            !reported.culprit.process_state.empty()) {
            end.culprit = reported.culprit;
        }
    }
    end.detail = text(kContext, "Rank %1 on %2 stopped answering: its process is stopped (state %3).",
                      {std::to_string(end.culprit.rank), end.culprit.node, end.culprit.process_state});
    add_attempts(end);
    return end;
}

// All that failed are victims: the rank that most of them waited for is the one.
std::optional<EndEvent> RunTracker::verdict_on_a_missing_rank(const Exit& victim) const {
    if (!victim.event.lost_peer) {
        return std::nullopt;
    }
    std::map<int, int> accused;
    for (const auto& exit : exits_) {
        if (exit.event.missing_rank >= 0 && exit.event.missing_rank != exit.rank) {
            ++accused[exit.event.missing_rank];
        }
    }
    if (accused.empty()) {
        return std::nullopt;
    }
    const auto most = std::max_element(accused.begin(), accused.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 1;
    end.has_culprit = true;
    end.culprit.rank = most->first;
    end.culprit.node = node_of(most->first);
    end.culprit.reason = victim.event.reason;
    end.detail = text(kContext, "Rank %1 on %2 stopped answering, says rank %3 on %4: %5",
                      {std::to_string(end.culprit.rank), end.culprit.node, std::to_string(victim.rank),
                       victim.node, victim.event.reason});
    add_attempts(end);
    return end;
}

// All that failed only lost their peers, or ended with the run: what held it before is the cause.
std::optional<DiagnosisEvent> RunTracker::cause_of_victims() const {
    const Exit* victim = culprit();
    const bool victims =
        victim != nullptr && (victim->event.code == kExitPeerLost || victim->event.lost_peer);
    if (!victims && hung_.empty()) {
        return std::nullopt;
    }
    if (!live_) {
        return victims ? rank_that_ended_early(*victim) : std::nullopt;
    }
    DiagnosisEvent cause = *live_;
    cause.phase = VerdictPhase::End;
    std::set<int> waiting(cause.waiting.begin(), cause.waiting.end());
    for (const auto& exit : exits_) {
        if (is_failure(exit.event) && exit.rank != cause.rank) {
            waiting.insert(exit.rank);
        }
    }
    cause.waiting.assign(waiting.begin(), waiting.end());
    return cause;
}

// Its peers lose it at once, where their library notices.
std::optional<DiagnosisEvent> RunTracker::rank_that_ended_early(const Exit& victim) const {
    const Exit* early = nullptr;
    for (const auto& exit : exits_) {
        const bool done = !exit.event.requested && exit.event.code == 0 && exit.event.signal == 0;
        const bool named = victim.event.missing_rank < 0 || victim.event.missing_rank == exit.rank;
        if (done && named && (early == nullptr || exit.t_us < early->t_us)) {
            early = &exit;
        }
    }
    if (early == nullptr || early->t_us > victim.t_us) {
        return std::nullopt;
    }
    DiagnosisEvent cause;
    cause.id = "rank-exit-early";
    cause.node = early->node;
    cause.rank = early->rank;
    cause.nodes = {early->node};
    cause.ranks = {early->rank};
    cause.reason = to_string(Activity::Exited);
    cause.confidence = 0.8;
    cause.title = text(kContext, "Rank %1 on %2 ended without an error while others still needed it.",
                       {std::to_string(early->rank), early->node});
    for (const auto& line : early->event.last_lines) {
        cause.evidence.push_back({.text = line});
    }
    for (const auto& exit : exits_) {
        if (is_failure(exit.event)) {
            cause.waiting.push_back(exit.rank);
        }
    }
    cause.fix.push_back(catalogue_entry(cause.id)->remedy);
    return cause;
}

std::optional<EndEvent> RunTracker::end_by_live_cause() const {
    const auto cause = cause_of_victims();
    if (!cause) {
        return std::nullopt;
    }
    EndEvent end;
    end.outcome = Outcome::Failed;
    end.exit_code = 1;
    if (cause->rank >= 0) {
        end.has_culprit = true;
        end.culprit.rank = cause->rank;
        end.culprit.node = cause->node;
        end.culprit.reason = cause->title;
    }
    end.detail = cause->title;
    add_attempts(end);
    return end;
}

EndEvent RunTracker::verdict(bool by_user) const {
    EndEvent end;
    if (!by_user) {
        if (auto stopped = verdict_on_a_stopped_rank()) {
            return *stopped;
        }
    }
    if (const EndEvent* reported = end_that_names_a_lost_node(); reported != nullptr && !by_user) {
        // The ranks that ended on their own then had lost it, too.
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        end.lost_node = reported->lost_node;
        end.lost_how = reported->lost_how;
        end.silent_s = reported->silent_s;
        const bool explained = live_ && !live_->pairs.empty() && live_->id != "node-lost" &&
                               live_->id != "partition-midrun" &&
                               std::count(live_->nodes.begin(), live_->nodes.end(), end.lost_node) > 0;
        // A rule that blocks ports of a node silences the link of the supervisors, too.
        end.detail = explained ? live_->title : how_it_was_lost(*reported) + ' ' + remedy_for_lost(*reported);
        return end;
    }
    if (auto held = by_user ? std::nullopt : end_by_live_cause()) {
        return *held;
    }
    const auto lost = std::find_if(ended_.begin(), ended_.end(),
                                   [](const auto& entry) { return entry.second.outcome == Outcome::Lost; });
    const Exit* exit = culprit();
    // A rank that lost its peer is no culprit where the peer was ended by a stop that reached its node first,
    // or went down with a whole node.
    const bool consequence = exit != nullptr && exit->event.code == kExitPeerLost &&
                             (by_user || lost != ended_.end() || stopped_before(exit->t_us));
    if (exit != nullptr && !consequence && !by_user) {
        if (auto missing = verdict_on_a_missing_rank(*exit)) {
            return *missing;
        }
    }
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
        add_attempts(end);
        return end;
    }
    if (lost != ended_.end() && !by_user) {
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        if (lost->second.presumed) {
            end.lost_node = lost->first;
            end.detail = text(kContext, "%1 was lost: %2.", {lost->first, lost->second.detail});
            return end;
        }
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
        const EndEvent& report = failed->second;
        if (report
                .has_culprit) {  // the supervisors' link reported it, where the rank's own end did not reach us
            end.has_culprit = true;
            end.culprit = report.culprit;
            ExitEvent how;
            how.code = report.culprit.code;
            how.signal = report.culprit.signal;
            how.reason = report.culprit.reason;
            end.detail =
                text(kContext, "Rank %1 on %2 %3",
                     {std::to_string(report.culprit.rank), report.culprit.node, describe_exit(how)}) +
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
    end.detail = plan_.world_size == 1
                     ? text(kContext, "The only rank finished.")
                     : text(kContext, "All %1 ranks finished.", {std::to_string(plan_.world_size)});
    end.detail += what_is_wrong_with_the_loss();
    return end;
}

std::optional<DiagnosisEvent> RunTracker::diagnosis() const {
    if (auto cause = cause_of_victims()) {
        return cause;
    }
    const Exit* exit = culprit();
    if (exit == nullptr) {
        return std::nullopt;
    }
    if (auto hardware = hardware_.cause_of_exit(exit->node, exit->rank, exit->t_us, exit->event, plan_)) {
        return hardware;
    }
    const ExitHint hint = hint_for_exit(exit->node, exit->event);
    if (hint.id.empty()) {
        return std::nullopt;
    }
    DiagnosisEvent diagnosis;
    diagnosis.id = hint.id;
    diagnosis.title = hint.what;
    diagnosis.node = exit->node;
    diagnosis.rank = exit->rank;
    diagnosis.nodes = {exit->node};
    diagnosis.ranks = {exit->rank};
    for (const auto& line : exit->event.last_lines) {
        diagnosis.evidence.push_back({.text = line});
    }
    if (!hint.remedy.empty()) {
        diagnosis.fix.push_back(hint.remedy);
    }
    return diagnosis;
}

}  // namespace rankscope
