// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/run/victims.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/rank_activity.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "FaultMarks";

template <typename T>
bool has(const std::vector<T>& list, const T& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

// What its ranks do, as the verdict on them has it.
std::string fault_text(const Verdict& verdict) {
    const std::string& id = verdict.id.str();
    if (verdict.reason == to_string(Activity::Stopped)) {
        return text(kContext, "stopped");
    }
    if (verdict.reason == to_string(Activity::Traced)) {
        return text(kContext, "in a debugger");
    }
    if (id == "rank-exit-early") {
        return text(kContext, "ended too early");
    }
    if (id == "collective-mismatch") {
        return text(kContext, "other collective");
    }
    if (id == "nccl-rank-behind") {
        return text(kContext, "behind");
    }
    if (id == "nccl-rank-silent") {
        return text(kContext, "silent");
    }
    if (id == "node-lost") {
        return text(kContext, "no answer");
    }
    return verdict.pairs.empty() ? text(kContext, "hangs") : text(kContext, "not reachable");
}

class Marking {
public:
    explicit Marking(const RunState& state) : state_(state) { marks_.ranks.resize(state.ranks.size()); }

    FaultMarks made() {
        find_silent_nodes();
        if (state_.outcome == Outcome::Running) {
            blame_while_running();
        } else {
            blame_at_end();
        }
        for (std::size_t i = 0; i < marks_.ranks.size(); ++i) {
            mark(state_.ranks[i], marks_.ranks[i]);
        }
        return std::move(marks_);
    }

private:
    bool over() const { return state_.outcome != Outcome::Running; }

    // While it runs: those that the desk does not reach. At the end: those whose part is not known to be over.
    void find_silent_nodes() {
        for (const auto& [node, link] : state_.links) {
            const bool unconfirmed = state_.end && has(state_.end->unconfirmed, node);
            if (!link.reachable() || unconfirmed) {
                marks_.silent[node] = link.last_seen_us;
            }
        }
        if (over() && state_.end && !state_.end->lost_node.empty()) {
            const auto known = state_.links.find(state_.end->lost_node);
            marks_.silent.try_emplace(state_.end->lost_node,
                                      known == state_.links.end() ? 0 : known->second.last_seen_us);
        }
        if (over()) {  // all that ran there is known to have ended
            std::erase_if(marks_.silent, [&](const auto& entry) { return all_ended(entry.first); });
        }
    }

    bool all_ended(const std::string& node) const {
        return std::all_of(state_.ranks.begin(), state_.ranks.end(),
                           [&](const RankState& rank) { return rank.node != node || rank.exit; });
    }

    void blame_while_running() {
        if (const RankState* first = first_failure()) {
            blame_rank(first->rank);
            return;
        }
        if (const Verdict* verdict = main_verdict(state_)) {
            return take_cause(*verdict);
        }
        for (const auto& [node, link] : state_.links) {
            if (link.state == LinkState::PresumedLost) {
                blame_node(node);
            }
        }
    }

    void blame_at_end() {
        if (!state_.end || state_.end->outcome == Outcome::Done || state_.end->outcome == Outcome::Stopped) {
            return;
        }
        const EndEvent& end = *state_.end;
        if (!state_.diagnoses.empty()) {
            cause_ = &state_.diagnoses.front();
        }
        if (end.has_culprit && end.culprit.rank >= 0) {
            blame_rank(end.culprit.rank);
            stopped_ = !end.culprit.process_state.empty();
        } else if (end.has_culprit && !end.culprit.node.empty()) {
            blame_node(end.culprit.node);
        } else if (!end.lost_node.empty() && !(cause_ != nullptr && explains_loss(*cause_, end.lost_node))) {
            blame_node(end.lost_node);
        } else if (cause_ != nullptr) {
            take_cause(*cause_);
        }
    }

    // Of those that failed by themselves. What a rank itself noted is earlier than its end.
    const RankState* first_failure() const {
        const RankState* first = nullptr;
        const auto when = [](const RankState& rank) {
            return rank.exit->failed_us > 0 ? rank.exit->failed_us : std::numeric_limits<std::int64_t>::max();
        };
        for (const auto& rank : state_.ranks) {
            const bool fails = rank.exit && failed_itself(*rank.exit) && !is_victim_here(rank);
            if (fails && (first == nullptr || when(rank) < when(*first))) {
                first = &rank;
            }
        }
        return first;
    }

    bool is_victim_here(const RankState& rank) const {
        const bool meets = rank.step < 0 && runs_engine(state_.plan, rank.rank);
        return is_victim(*rank.exit, meets, over() ? cause_ : main_verdict(state_));
    }

    void blame_rank(int rank) {
        marks_.culprits.push_back(rank);
        if (rank >= 0 && static_cast<std::size_t>(rank) < state_.ranks.size()) {
            marks_.blamed_nodes.insert(state_.ranks[static_cast<std::size_t>(rank)].node);
        }
    }

    void blame_node(const std::string& node) {
        marks_.nodes.push_back(node);
        marks_.blamed_nodes.insert(node);
    }

    void take_cause(const Verdict& verdict) {
        cause_ = &verdict;
        marks_.slows_only = !holds_the_run(verdict);
        if (!verdict.pairs.empty() || verdict.reason == to_string(SlowReason::SlowLink)) {
            blame_connection(verdict);
            return;
        }
        // A verdict on a node, not on one of its ranks: what it lists are the ranks that it takes with it.
        if (verdict.rank < 0 && verdict.id == FailureId("node-lost")) {
            for (const auto& node : verdict.nodes) {
                blame_node(node);
            }
            return;
        }
        std::vector<int> ranks = verdict.ranks;
        if (verdict.rank >= 0 && !has(ranks, verdict.rank)) {
            ranks.push_back(verdict.rank);
        }
        std::sort(ranks.begin(), ranks.end());
        for (const int rank : ranks) {
            blame_rank(rank);
        }
        if (ranks.empty() && !verdict.node.empty()) {
            blame_node(verdict.node);
        }
    }

    // Its ranks are those that noticed. The end that is silent itself is at fault, not the one that reports it.
    void blame_connection(const Verdict& verdict) {
        if (!verdict.node.empty()) {
            blame_node(verdict.node);
            return;
        }
        std::set<std::string> ends;
        for (const auto& pair : verdict.pairs) {
            ends.insert({pair.from, pair.to});
        }
        std::set<std::string> silent;
        std::copy_if(ends.begin(), ends.end(), std::inserter(silent, silent.end()),
                     [&](const std::string& node) { return marks_.silent.count(node) > 0; });
        if (!silent.empty() && silent.size() < ends.size()) {
            for (const auto& node : silent) {
                blame_node(node);
            }
            return;
        }
        for (const auto& pair : verdict.pairs) {
            const NodePair back{pair.to, pair.from};
            if (!has(marks_.pairs, pair) && !has(marks_.pairs, back)) {
                marks_.pairs.push_back(pair);
            }
            marks_.blamed_nodes.insert({pair.from, pair.to});
        }
    }

    bool is_culprit(const RankState& rank) const {
        return has(marks_.culprits, rank.rank) || has(marks_.nodes, rank.node) ||
               std::any_of(marks_.pairs.begin(), marks_.pairs.end(), [&](const NodePair& pair) {
                   return pair.from == rank.node || pair.to == rank.node;
               });
    }

    bool start_failed() const {
        return std::any_of(state_.stages.begin(), state_.stages.end(),
                           [](const StageState& stage) { return stage.failed; });
    }

    void mark(const RankState& rank, FaultMarks::OfRank& of_rank) {
        const auto set = [&](RankMark mark, std::string words) {
            of_rank.mark = mark;
            of_rank.text = std::move(words);
        };
        const auto silent = marks_.silent.find(rank.node);
        const bool unknown = !rank.exit && silent != marks_.silent.end() && rank.phase != RankPhase::Waiting;
        if (over() && !rank.exit && rank.phase == RankPhase::Waiting && start_failed()) {
            return set(RankMark::NotStarted, text(kContext, "not started"));
        }
        if (unknown && over()) {
            of_rank.since_us = silent->second;
            return set(RankMark::Unknown,
                       silent->second > 0 ? text(kContext, "unknown since %1", {time_of_day(silent->second)})
                                          : text(kContext, "unknown"));
        }
        if (is_culprit(rank)) {
            return set(marks_.slows_only ? RankMark::Slow : RankMark::Culprit, text_of_culprit(rank));
        }
        if (rank.exit && failed_itself(*rank.exit)) {
            const bool noticed = cause_ != nullptr && has(cause_->waiting, rank.rank);
            return is_victim_here(rank) || noticed
                       ? set(RankMark::LostPeer, text(kContext, "lost a peer"))
                       : set(RankMark::FailedLater, text(kContext, "failed later"));
        }
        if (unknown) {
            of_rank.since_us = silent->second;
            return set(RankMark::Unknown, text(kContext, "unknown since %1", {time_of_day(silent->second)}));
        }
        const bool waits = !over() && !rank.exit && !marks_.slows_only && marks_.any_culprit() &&
                           cause_ != nullptr && has(cause_->waiting, rank.rank);
        if (waits) {
            set(RankMark::Waits, text(kContext, "waits for %1", {marks_.culprit_name()}));
        }
    }

    std::string text_of_culprit(const RankState& rank) const {
        if (marks_.slows_only) {
            return text(kContext, "slow");
        }
        for (const auto& pair : marks_.pairs) {
            if (pair.from == rank.node || pair.to == rank.node) {
                return text(kContext, "cut from %1", {pair.from == rank.node ? pair.to : pair.from});
            }
        }
        if (!rank.exit && marks_.silent.count(rank.node) > 0) {
            return text(kContext, "no answer");
        }
        return has(marks_.nodes, rank.node) ? text_of_node(rank) : text_of_rank(rank);
    }

    // Its node is at fault, whatever the rank did.
    std::string text_of_node(const RankState& rank) const {
        if (rank.exit && state_.end && state_.end->lost_node == rank.node) {
            return text(kContext, "ended with its node");
        }
        return cause_ != nullptr ? fault_text(*cause_) : text(kContext, "at fault");
    }

    std::string text_of_rank(const RankState& rank) const {
        if (stopped_) {
            return text(kContext, "stopped");
        }
        if (rank.exit && failed_itself(*rank.exit)) {
            return text(kContext, "failed");
        }
        // What still runs, and what a stop of the run ended, or it itself too early.
        const bool of_it = cause_ != nullptr && (!rank.exit || cause_->rank == rank.rank);
        return of_it ? fault_text(*cause_) : text(kContext, "at fault");
    }

    const RunState& state_;
    FaultMarks marks_;
    const Verdict* cause_ = nullptr;
    bool stopped_ = false;
};

}  // namespace

RankMark FaultMarks::of(int rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < ranks.size()
               ? ranks[static_cast<std::size_t>(rank)].mark
               : RankMark::None;
}

std::vector<int> FaultMarks::with(RankMark mark) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].mark == mark) {
            found.push_back(static_cast<int>(i));
        }
    }
    return found;
}

std::string FaultMarks::culprit_name() const {
    if (culprits.size() == 1) {
        return text(kContext, "rank %1", {std::to_string(culprits.front())});
    }
    if (!culprits.empty()) {
        return text(kContext, "ranks %1", {list_ranks(culprits)});
    }
    std::string names = joined(nodes);
    if (!names.empty()) {
        return names;
    }
    for (const auto& pair : pairs) {
        names += (names.empty() ? "" : ", ") + pair.from + " – " + pair.to;
    }
    return names;
}

std::string FaultMarks::line() const {
    std::string all;
    const auto add = [&all](const std::string& part) { all += (all.empty() ? "" : " · ") + part; };
    if (any_culprit()) {
        add(text(kContext, "At fault: %1", {culprit_name()}));
    }
    if (const auto waiting = with(RankMark::Waits); !waiting.empty()) {
        add(text(kContext, "wait for it: %1", {list_ranks(waiting)}));
    }
    if (const auto victims = with(RankMark::LostPeer); !victims.empty()) {
        add(text(kContext, "lost a peer: %1", {list_ranks(victims)}));
    }
    if (const auto later = with(RankMark::FailedLater); !later.empty()) {
        add(text(kContext, "failed later: %1", {list_ranks(later)}));
    }
    std::map<std::string, std::vector<int>> unknown;  // ranks of one node have one time
    for (const int rank : with(RankMark::Unknown)) {
        unknown[ranks[static_cast<std::size_t>(rank)].text].push_back(rank);
    }
    for (const auto& [words, of_it] : unknown) {
        add(words + ": " + list_ranks(of_it));
    }
    return all;
}

const DiagnosisEvent* main_verdict(const RunState& state) {
    const DiagnosisEvent* best = nullptr;
    for (const auto& verdict : state.live_verdicts) {
        if (best == nullptr || outranks(verdict, *best)) {
            best = &verdict;
        }
    }
    return best;
}

FaultMarks fault_marks(const RunState& state) {
    return Marking(state).made();
}

std::string marks_json(const FaultMarks& marks) {
    nlohmann::ordered_json json;
    json["culprits"] = marks.culprits;
    json["nodes"] = marks.nodes;
    json["pairs"] = nlohmann::ordered_json::array();
    for (const auto& pair : marks.pairs) {
        json["pairs"].push_back({{"from", pair.from}, {"to", pair.to}});
    }
    json["waiting"] = marks.with(RankMark::Waits);
    json["lost_peer"] = marks.with(RankMark::LostPeer);
    json["failed_later"] = marks.with(RankMark::FailedLater);
    json["unknown"] = nlohmann::ordered_json::array();
    for (const int rank : marks.with(RankMark::Unknown)) {
        json["unknown"].push_back(
            {{"rank", rank},
             {"since", static_cast<double>(marks.ranks[static_cast<std::size_t>(rank)].since_us) * 1e-6}});
    }
    return json.dump();
}

}  // namespace rankscope::inline runs
