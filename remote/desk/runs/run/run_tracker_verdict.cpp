// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Who is to blame, and how the run has ended.

#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/desk/runs/run/victims.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/rank_activity.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunTracker";

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

// The first sentence names node, moment and step: it is the title of the end. `when`: " at 11:17:45 (step 487)".
std::string how_it_was_lost(const EndEvent& reported, const std::string& when) {
    const std::string& node = reported.lost_node;
    switch (reported.lost_how) {
        case LostHow::Silent:
            return text(kContext, "%1 stopped answering%2. Nothing was heard from it for %3 s.",
                        {node, when, std::to_string(std::lround(reported.silent_s))});
        case LostHow::Gone:
            return text(kContext, "%1 was lost%2: its supervisor is gone.", {node, when});
        case LostHow::Rebooted:
            return text(kContext, "%1 was lost%2: it was rebooted during the run.", {node, when});
        case LostHow::SupervisorKilled:
            return text(kContext, "%1 was lost%2: its supervisor was killed; its ranks ended with it.",
                        {node, when});
        case LostHow::SupervisorStopped:
            if (reported.presumed) {
                return text(kContext, "%1 stopped answering%2: its supervisor is stopped (state T).",
                            {node, when});
            }
            return text(kContext,
                        "%1 stopped answering%2: its supervisor was stopped (state T); its ranks were ended.",
                        {node, when});
        default:
            return text(kContext, "%1 was lost%2: %3.", {node, when, reported.detail});
    }
}

std::string who_ended(int rank, const std::string& node, const ExitEvent& exit) {
    if (exit.inner) {
        return text(kContext, "Rank %1 on %2 (process %3, started by the program of rank %4) %5",
                    {std::to_string(rank), node, std::to_string(exit.pid), std::to_string(exit.outer_rank),
                     describe_exit(exit)});
    }
    if (exit.program) {
        return text(kContext, "The program of rank %1 on %2 %3",
                    {std::to_string(exit.outer_rank), node, describe_exit(exit)});
    }
    return text(kContext, "Rank %1 on %2 %3", {std::to_string(rank), node, describe_exit(exit)});
}

}  // namespace

// The first rank that failed on its own. One that only lost its peer is a consequence, wherever the nodes'
// clocks put it; one that was ended by our own stop is never the cause.
const RunTracker::Exit* RunTracker::culprit() const {
    const Exit* best = nullptr;
    const auto key = [this](const Exit& exit) {
        // As torchrun: the first failure counts, not the first process gone; the one may take a while to end.
        const auto failed = exit.event.failed_us > 0 ? std::min(exit.event.failed_us, exit.t_us) : exit.t_us;
        return std::tuple(is_of_inner_failure(exit) ? 2 : is_victim(exit) ? 1 : 0, failed);
    };
    for (const auto& exit : exits_) {
        if (failed_itself(exit.event) && !is_tolerated(exit) && (best == nullptr || key(exit) < key(*best))) {
            best = &exit;
        }
    }
    return best;
}

// Of a rank whose program ended well nevertheless. Of mpirun only the first node tells: what waits for it on the others
// ends well with it.
bool RunTracker::is_tolerated(const Exit& exit) const {
    const auto has_mpi = [](const std::vector<RankPlan>& ranks) {
        return std::any_of(ranks.begin(), ranks.end(), [](const RankPlan& rank) { return rank.mpi; });
    };
    const bool mpi = has_mpi(plan_.ranks) || has_mpi(plan_.programs);
    const auto end = ended_.find(mpi ? plan_.master_node : exit.node);
    return exit.event.inner && end != ended_.end() && end->second.outcome == Outcome::Done;
}

// A program that ends because one of the ranks that it has started did.
bool RunTracker::is_of_inner_failure(const Exit& exit) const {
    return exit.event.program && std::any_of(exits_.begin(), exits_.end(), [&](const Exit& other) {
               return other.event.inner && other.event.outer_rank == exit.event.outer_rank &&
                      other.node == exit.node && failed_itself(other.event);
           });
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
    // srun sends SIGTERM to the supervisors of all other nodes when one is gone without a word.
    // One that only does not answer may be well: that is no reason for the signal.
    const bool gone = std::any_of(ended_.begin(), ended_.end(), [](const auto& entry) {
        return entry.second.outcome == Outcome::Lost && !entry.second.presumed;
    });
    for (const auto& [node, end] : ended_) {
        if (gone && end.lost_how == LostHow::Signalled) {
            continue;
        }
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
    // A stop of the run continues it, so that its supervisor may not name it any more: the watcher has seen it.
    const DiagnosisEvent* live = held();
    if (named.empty() && live != nullptr && live->rank >= 0 && live->reason == to_string(Activity::Stopped) &&
        victim != nullptr && is_victim(*victim)) {
        ++named[live->rank];
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
    const bool victims = victim != nullptr && is_victim(*victim);
    if (!victims && hung_.empty()) {
        return std::nullopt;
    }
    const DiagnosisEvent* live = held();
    if (live == nullptr) {
        return victims ? rank_that_ended_early(*victim) : std::nullopt;
    }
    DiagnosisEvent cause = *live;
    cause.phase = VerdictPhase::End;
    std::set<int> waiting(cause.waiting.begin(), cause.waiting.end());
    for (const auto& exit : exits_) {
        if (failed_itself(exit.event) && exit.rank != cause.rank) {
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
        if (failed_itself(exit.event)) {
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
        end.culprit.reason = said(*cause);
    }
    end.detail = said(*cause);
    add_attempts(end);
    return end;
}

// " at 11:17:45 (step 487)": when it was heard last, by whoever heard it, and how far its ranks had come.
std::string RunTracker::where_lost(const EndEvent& reported) const {
    std::int64_t when = 0;
    if (const auto sign = last_sign_.find(reported.lost_node); sign != last_sign_.end()) {
        when = sign->second;
    }
    for (const auto& [node, end] : ended_) {
        if (end.lost_node == reported.lost_node && end.silent_s > 0 && node != end.lost_node) {
            when = std::max(when, end_reported_us_.at(node) - static_cast<std::int64_t>(end.silent_s * 1e6));
        }
    }
    std::int64_t step = -1;
    for (const auto& rank : plan_.ranks) {
        const auto at = static_cast<std::size_t>(rank.rank);
        if (rank.node == reported.lost_node && at < ranks_.size()) {
            step = std::max(step, ranks_[at].step);
        }
    }
    if (when <= 0) {
        return {};
    }
    return step >= 0 ? text(kContext, " at %1 (step %2)", {time_of_day(when), std::to_string(step)})
                     : text(kContext, " at %1", {time_of_day(when)});
}

// By another desk than the one that asks: whom the failed rank lost was ended so. By no clock: the connections of a
// process close before its own end is seen.
bool RunTracker::lost_to_a_users_stop() const {
    const Exit* victim = culprit();
    return victim != nullptr && is_victim(*victim) &&
           std::any_of(exits_.begin(), exits_.end(), [&](const Exit& exit) {
               const int missing = victim->event.missing_rank;
               return exit.event.by_user && (missing < 0 || missing == exit.rank);
           });
}

EndEvent RunTracker::verdict(bool asked_here) const {
    const bool by_user = asked_here || lost_to_a_users_stop();
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
        const DiagnosisEvent* live = held();
        end.detail =
            live != nullptr && explains_loss(*live, end.lost_node)
                ? said(*live)
                : how_it_was_lost(*reported, where_lost(*reported)) + ' ' + remedy_for_lost(*reported);
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
    const bool says_so = exit != nullptr && exit->event.code == kExitPeerLost;
    const bool lost_peer = says_so || (exit != nullptr && exit->event.lost_peer);
    const bool consequence =
        (says_so && lost != ended_.end()) || (lost_peer && (by_user || stopped_before(exit->t_us)));
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
        end.detail = who_ended(exit->rank, exit->node, exit->event);
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
            end.detail =
                text(kContext, "%1 was lost%2: %3.", {lost->first, where_lost(end), lost->second.detail});
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

// Where the end names another rank than the one that failed: what can be said is about that one.
std::optional<DiagnosisEvent> RunTracker::cause_beyond(const Exit& victim) const {
    if (!is_victim(victim)) {
        return std::nullopt;
    }
    const EndEvent end = verdict(false);
    if (!end.has_culprit || end.culprit.rank < 0 || end.culprit.rank == victim.rank) {
        return std::nullopt;
    }
    const bool stopped = !end.culprit.process_state.empty();
    DiagnosisEvent cause;
    cause.id = stopped ? FailureId("rank-stopped") : FailureId("rank-hang");
    cause.reason = stopped ? to_string(Activity::Stopped) : "accused";
    cause.title = first_sentence(end.detail);
    cause.node = end.culprit.node;
    cause.rank = end.culprit.rank;
    cause.nodes = {end.culprit.node};
    cause.ranks = {end.culprit.rank};
    cause.confidence = stopped ? 0.95 : kSureVerdict;
    for (const auto& exit : exits_) {
        if (failed_itself(exit.event) && exit.rank != cause.rank) {
            cause.waiting.push_back(exit.rank);
        }
    }
    cause.fix.push_back(stopped ? text(kContext, "Was it stopped by a debugger or by `kill -STOP`?")
                                : text(kContext, "Check its process on the node."));
    return cause;
}

std::optional<DiagnosisEvent> RunTracker::diagnosis() const {
    if (lost_to_a_users_stop()) {
        return std::nullopt;
    }
    if (auto cause = cause_of_victims()) {
        return cause;
    }
    const Exit* exit = culprit();
    if (exit == nullptr) {
        return std::nullopt;
    }
    if (auto beyond = cause_beyond(*exit)) {
        return beyond;
    }
    if (auto hardware = hardware_.cause_of_exit(exit->node, exit->rank, exit->t_us, exit->event, plan_)) {
        return hardware;
    }
    const ExitHint hint = hint_for_exit(exit->node, exit->event);
    const auto memory = hint.id == FailureId("killed-external") ? memory_.ran_out(exit->node, exit->t_us)
                                                                : std::optional<std::string>();
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
    if (memory) {
        diagnosis.id = "host-oom";
        diagnosis.title = text(kContext, "Memory of %1 ran out, and the kernel killed it.", {exit->node});
        diagnosis.confidence = 0.7;
        diagnosis.evidence.push_back({.text = *memory});
    }
    for (const auto& line : exit->event.last_lines) {
        diagnosis.evidence.push_back({.text = line});
    }
    if (!hint.remedy.empty()) {
        diagnosis.fix.push_back(hint.remedy);
    }
    return diagnosis;
}

}  // namespace rankscope::inline runs
