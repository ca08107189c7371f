// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/collective_cause.h>
#include <remote/desk/runs/watch/hang_patience.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/hang_verdict.h>
#include <remote/desk/runs/watch/network_verdict.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";

// Seconds that each may last, beside the usual time between two steps.
constexpr double kSilentFileS = 9;  // without a byte, from a file server
constexpr double kThrottledS = 10;  // with less CPU time than the others get
constexpr double kMismatchS = 12;   // all wait, at different calls
constexpr double kExitedS = 10;     // others wait in a collective after a rank has ended
constexpr double kBusyLineS = 45;   // one function of the program, and nothing below it
constexpr double kNoCauseS = 90;    // all wait, at the same call
constexpr int kLooks = 2;
constexpr int kStacks = 4;  // that show the same function
constexpr std::size_t kMostWaiters = 4;

bool is_remote(const std::string& file_system) {
    constexpr std::array<std::string_view, 13> kRemote = {"nfs",      "cifs",      "smb",  "fuse",   "ceph",
                                                          "lustre",   "9p",        "gpfs", "beegfs", "afs",
                                                          "virtiofs", "glusterfs", "sshfs"};
    return std::any_of(kRemote.begin(), kRemote.end(),
                       [&](std::string_view name) { return file_system.starts_with(name); });
}

class HangSearch {
    using Ranks = std::vector<int>;

public:
    explicit HangSearch(const HangView& view) : view_(view), waits_(find_waits(view.ranks, view.plan)) {
        stall_s_ = view.stall_s;
        for (const int rank : view.trains ? Ranks() : waits_.waiting) {
            stall_s_ = std::min(stall_s_, view.now - view.ranks.at(rank).since);
        }
    }

    std::optional<HangFinding> find() {
        using Step = std::optional<HangFinding> (HangSearch::*)() const;
        const auto first_of = [this](std::initializer_list<Step> steps) -> std::optional<HangFinding> {
            for (const auto step : steps) {
                if (auto found = (this->*step)()) {
                    return found;
                }
            }
            return std::nullopt;
        };
        auto found = first_of({&HangSearch::held, &HangSearch::network, &HangSearch::silent_file});
        // Without steps, what the ranks send each other is the sign that the run makes progress.
        if (found || (!view_.trains && waits_.talking)) {
            return found;
        }
        return first_of({&HangSearch::silent_node, &HangSearch::throttled, &HangSearch::ended,
                         &HangSearch::stuck, &HangSearch::busy, &HangSearch::mismatch,
                         &HangSearch::no_cause});
    }

private:
    template <typename Test>
    Ranks ranks_that(Test test) const {
        Ranks found;
        for (const auto& [rank, seen] : view_.ranks) {
            if (seen.looks >= kLooks && test(seen)) {
                found.push_back(rank);
            }
        }
        return found;
    }

    // How long it has been so: since the last sign of the run, where every look since then shows the same.
    double lasts_s(const RankSeen& seen) const {
        const bool all_along =
            view_.trains && std::all_of(view_.ranks.begin(), view_.ranks.end(),
                                        [&](const auto& entry) { return seen.since <= entry.second.since; });
        return all_along ? view_.stall_s : std::min(view_.now - seen.since, view_.stall_s);
    }

    double patience_s(double least, const RankSeen* seen = nullptr) const {
        return hang_patience_s(view_, least, seen);
    }

    bool lasts(const RankSeen& seen, double least) const {
        return seen.looks >= kLooks && view_.writing.count(seen.state.rank) == 0 &&
               lasts_s(seen) >= patience_s(least, &seen);
    }

    Ranks others_wait(const Ranks& culprits) const {
        Ranks others;
        std::copy_if(waits_.waiting.begin(), waits_.waiting.end(), std::back_inserter(others), [&](int rank) {
            return std::find(culprits.begin(), culprits.end(), rank) == culprits.end();
        });
        return others;
    }

    Ranks all_but(const Ranks& culprits) const {
        Ranks others;
        for (const auto& rank : view_.plan.ranks) {
            if (std::find(culprits.begin(), culprits.end(), rank.rank) == culprits.end() &&
                view_.finished.count(rank.rank) == 0) {
                others.push_back(rank.rank);
            }
        }
        return others;
    }

    void add_node(Verdict& verdict, const std::string& node) const {
        if (!node.empty() &&
            std::find(verdict.nodes.begin(), verdict.nodes.end(), node) == verdict.nodes.end()) {
            verdict.nodes.push_back(node);
        }
    }

    HangFinding start(FailureId id, const char* reason, double confidence, double since) const {
        HangFinding finding;
        finding.verdict.id = id;
        finding.verdict.reason = reason;
        finding.verdict.confidence = confidence;
        finding.verdict.phase = VerdictPhase::Live;
        finding.since = since;
        return finding;
    }

    // "Rank 1 on node2", "Ranks 0–7 on node1", "Ranks 0, 3 and 5".
    std::string subject(const Ranks& ranks, const std::string& node) const {
        if (ranks.size() == 1) {
            return capitalized(name_rank(ranks.front(), view_.ranks.at(ranks.front()).node));
        }
        return node.empty() ? text(kContext, "Ranks %1", {list_ranks(ranks)})
                            : text(kContext, "Ranks %1 on %2", {list_ranks(ranks), node});
    }

    void name_ranks(Verdict& verdict, const Ranks& ranks) const {
        verdict.ranks = ranks;
        verdict.rank = ranks.size() == 1 ? ranks.front() : -1;
        for (const int rank : ranks) {
            add_node(verdict, view_.ranks.at(rank).node);
        }
        verdict.node = verdict.nodes.size() == 1 ? verdict.nodes.front() : std::string();
    }

    void add_waiters(Verdict& verdict) const {
        std::size_t shown = 0;
        for (const int rank : verdict.waiting) {
            const auto seen = view_.ranks.find(rank);
            if (seen != view_.ranks.end() && shown < kMostWaiters) {
                ++shown;
                for (auto& fact : facts_of(rank, seen->second, false)) {
                    verdict.evidence.push_back(std::move(fact));
                }
            }
        }
    }

    // A verdict on ranks that do something else than wait.
    HangFinding blame(FailureId id, const Ranks& culprits, double confidence) const {
        return blame(id, culprits, view_.ranks.at(culprits.front()), confidence);
    }

    HangFinding blame(FailureId id, const Ranks& culprits, const RankSeen& first, double confidence) const {
        const double lasts = lasts_s(first);
        auto finding = start(id, to_string(first.activity.kind), confidence, view_.now - lasts);
        auto& verdict = finding.verdict;
        name_ranks(verdict, culprits);
        verdict.waiting = others_wait(culprits);
        const std::string who = subject(culprits, verdict.node);
        const std::string what = with_least_age(view_, describe_activity(first), lasts);
        if (verdict.waiting.empty()) {
            verdict.title = text(kContext, "%1 makes no progress: %2.", {who, what});
        } else if (verdict.waiting.size() == 1) {
            verdict.title = text(kContext, "%1 has not entered the collective that rank %2 waits in: %3.",
                                 {who, std::to_string(verdict.waiting.front()), what});
        } else {
            verdict.title =
                text(kContext, "%1 has not entered the collective that the other %2 ranks wait in: %3.",
                     {who, std::to_string(verdict.waiting.size()), what});
        }
        for (const int rank : culprits) {
            for (auto& fact : facts_of(rank, view_.ranks.at(rank), true)) {
                verdict.evidence.push_back(std::move(fact));
            }
        }
        add_waiters(verdict);
        for (const int rank : culprits) {
            if (rank == culprits.front() || first.activity.kind == Activity::Stopped) {
                add_fixes(verdict, view_.ranks.at(rank));
            }
        }
        return finding;
    }

    std::optional<HangFinding> held() const {
        const auto stopped =
            ranks_that([](const RankSeen& seen) { return seen.activity.kind == Activity::Stopped; });
        if (!stopped.empty()) {
            return blame("rank-stopped", stopped, 0.98);
        }
        const auto traced =
            ranks_that([](const RankSeen& seen) { return seen.activity.kind == Activity::Traced; });
        return traced.empty() ? std::nullopt : std::optional(blame("rank-hang", traced, 0.95));
    }

    std::optional<HangFinding> network() const { return find_network_fault(view_, waits_); }

    // The agent there does not answer, and the ranks elsewhere wait.
    std::optional<HangFinding> silent_node() const {
        if (view_.silent_nodes.empty() || waits_.waiting.empty() || !waits_.working.empty() ||
            stall_s_ < patience_s(kSilentFileS)) {
            return std::nullopt;
        }
        auto finding = start("node-lost", "no-answer", 0.6, view_.now - stall_s_);
        auto& verdict = finding.verdict;
        std::string names;
        for (const auto& [node, silent] : view_.silent_nodes) {
            add_node(verdict, node);
            names += (names.empty() ? "" : ", ") + node;
            verdict.evidence.push_back({.text = text(kContext, "%1: the agent has not answered for %2 s",
                                                     {node, std::to_string(std::lround(silent))})});
        }
        for (const auto& rank : view_.plan.ranks) {
            if (view_.silent_nodes.count(rank.node) > 0) {
                verdict.ranks.push_back(rank.rank);
            }
        }
        verdict.node = view_.silent_nodes.size() == 1 ? names : std::string();
        verdict.waiting = others_wait(verdict.ranks);
        verdict.title = text(kContext, "%1 does not answer, and the ranks on the other nodes wait.", {names});
        verdict.fix.push_back(text(kContext, "Check that %1 is up, its load and its network.", {names}));
        add_waiters(verdict);
        return finding;
    }

    std::optional<HangFinding> silent_file() const {
        // What is read through a file system in user space is not counted: a large file may take its time.
        const auto ranks = ranks_that([&](const RankSeen& seen) {
            const bool large = view_.long_phase || names_a_long_phase(seen.state);
            return seen.activity.kind == Activity::UsesFile && is_remote(seen.activity.file_system) &&
                   !seen.advances &&
                   std::min(lasts_s(seen), view_.now - seen.io_since + kBeforeFirstLook) >=
                       kSilentFileS * (large ? kHangLongPhase : 1);
        });
        if (ranks.empty()) {
            return std::nullopt;
        }
        return blame("rank-hang", ranks, view_.ranks.at(ranks.front()).activity.certain ? 0.95 : 0.8);
    }

    std::optional<HangFinding> throttled() const {
        double most = 0;  // cores that the others may use
        bool unlimited = false;
        for (const int rank : waits_.waiting) {
            const double limit = view_.ranks.at(rank).state.cpu_limit;
            most = std::max(most, limit);
            unlimited = unlimited || limit <= 0;
        }
        const auto ranks = ranks_that([&](const RankSeen& seen) {
            const double limit = seen.activity.cpu_limit;
            const bool less = !waits_.waiting.empty() && limit > 0 && (unlimited || limit < most * 0.67);
            return seen.activity.kind == Activity::Throttled && lasts(seen, less ? kThrottledS : kHangBusyS);
        });
        return ranks.empty() ? std::nullopt : std::optional(blame("rank-hang", ranks, 0.85));
    }

    std::optional<HangFinding> ended() const {
        Ranks gone;
        for (const int rank : view_.finished) {
            gone.push_back(rank);
        }
        if (gone.empty() || waits_.waiting.empty() || !waits_.working.empty() || !waits_.stuck.empty() ||
            stall_s_ < patience_s(waits_.certain ? kExitedS : kHangIdleS) || !all_seen_twice()) {
            return std::nullopt;
        }
        auto finding = start("rank-exit-early", to_string(Activity::Exited), waits_.certain ? 0.9 : 0.7,
                             view_.now - stall_s_);
        auto& verdict = finding.verdict;
        verdict.ranks = gone;
        verdict.rank = gone.size() == 1 ? gone.front() : -1;
        for (const auto& rank : view_.plan.ranks) {
            if (view_.finished.count(rank.rank) > 0) {
                add_node(verdict, rank.node);
            }
        }
        verdict.node = verdict.nodes.size() == 1 ? verdict.nodes.front() : std::string();
        verdict.waiting = others_wait(gone);
        verdict.title =
            gone.size() == 1
                ? text(kContext, "%1 has ended without an error, and %2 still wait for it.",
                       {capitalized(name_rank(gone.front(), verdict.node)), ranks_phrase(verdict.waiting)})
                : text(kContext, "Ranks %1 have ended without an error, and %2 still wait for them.",
                       {list_ranks(gone), ranks_phrase(verdict.waiting)});
        verdict.fix.push_back(text(kContext,
                                   "Give all ranks the same number of steps: DistributedSampler, "
                                   "drop_last=True, or the join() context."));
        add_waiters(verdict);
        return finding;
    }

    static std::string ranks_phrase(const Ranks& ranks) {
        return ranks.size() == 1 ? text(kContext, "rank %1", {list_ranks(ranks)})
                                 : text(kContext, "ranks %1", {list_ranks(ranks)});
    }

    bool all_seen_twice() const {
        return std::all_of(view_.ranks.begin(), view_.ranks.end(), [&](const auto& entry) {
            return entry.second.looks >= kLooks || view_.finished.count(entry.first) > 0;
        });
    }

    // Alone, a program may wait for whatever it likes, unless it has made steps before.
    bool may_blame() const {
        return !waits_.waiting.empty() || (view_.plan.ranks.size() == 1 && view_.trains);
    }

    std::optional<HangFinding> stuck() const {
        if (!may_blame() || waits_.stuck.empty()) {
            return std::nullopt;
        }
        // While another rank works, it may be the one that all wait for, rightly.
        const bool alone = waits_.working.empty();
        if (view_.brief && !alone) {
            return std::nullopt;
        }
        const RankSeen* longest = nullptr;
        for (const int rank : waits_.stuck) {
            const auto& seen = view_.ranks.at(rank);
            if (lasts(seen, (alone ? 1 : kHangBusyS / kHangIdleS) * kHangIdleS) &&
                (longest == nullptr || weight(seen) > weight(*longest) ||
                 (weight(seen) == weight(*longest) && seen.since < longest->since))) {
                longest = &seen;
            }
        }
        if (longest == nullptr) {
            return std::nullopt;
        }
        Ranks same;
        for (const int rank : waits_.stuck) {
            const auto& seen = view_.ranks.at(rank);
            if (seen.activity.kind == longest->activity.kind &&
                seen.activity.line == longest->activity.line && lasts(seen, kHangIdleS)) {
                same.push_back(rank);
            }
        }
        const bool known = longest->activity.certain || !longest->activity.line.empty();
        return blame("rank-hang", same, known && waits_.certain ? 0.85 : known ? 0.7 : 0.5);
    }

    // What explains itself before what may wait for it.
    static int weight(const RankSeen& seen) {
        switch (seen.activity.kind) {
            case Activity::UsesFile:
            case Activity::WaitsForFileLock:
                return 4;
            case Activity::WaitsForChild:
            case Activity::WaitsForPipe:
                return 3;
            case Activity::Sleeps:
            case Activity::WaitsForLock:
                return 2;
            case Activity::WaitsForPeer:
                return 1;
            default:
                return 0;
        }
    }

    std::optional<HangFinding> busy() const {
        if (view_.brief || waits_.waiting.empty() || waits_.working.empty()) {
            return std::nullopt;
        }
        for (const int rank : waits_.working) {
            const auto& seen = view_.ranks.at(rank);
            if (!lasts(seen, spins(seen) ? kBusyLineS : kHangBusyS)) {
                return std::nullopt;  // this one may be what all wait for
            }
        }
        RankSeen first = view_.ranks.at(waits_.working.front());
        if (spins(first)) {
            first.activity.kind = Activity::SpinsOnCpu;
        }
        return blame("rank-hang", waits_.working, first, spins(first) ? 0.7 : 0.4);
    }

    // All its stacks show one function of the program itself, and nothing below it.
    static bool spins(const RankSeen& seen) {
        return (seen.activity.kind == Activity::SpinsOnCpu || seen.activity.kind == Activity::Runs) &&
               seen.state.state == "R" && seen.same_stacks >= kStacks && !seen.activity.line.empty() &&
               seen.activity.line == seen.state.python_stack.front();
    }

    // The call of the program itself: "all_reduce at train.py:41 in step".
    static std::string call_of(const RankSeen& seen) {
        const auto& stack = seen.state.python_stack;
        const auto own = std::find(stack.begin(), stack.end(), seen.activity.line);
        if (seen.activity.line.empty() || own == stack.end() || own == stack.begin()) {
            return {};
        }
        const std::string& frame = *(own - 1);
        const auto in = frame.rfind(" in ");
        std::string function = in == std::string::npos ? frame : frame.substr(in + 4);
        for (auto outer = own - 1;
             function == "wrapper" && outer != stack.begin();) {  // a decorator of PyTorch
            --outer;
            const auto at = outer->rfind(" in ");
            function = at == std::string::npos ? *outer : outer->substr(at + 4);
        }
        return text(kContext, "%1 at %2", {function, seen.activity.line});
    }

    std::optional<HangFinding> mismatch() const {
        if (!all_wait() || !waits_.certain) {
            return std::nullopt;
        }
        std::map<std::string, Ranks> calls;
        for (const int rank : waits_.waiting) {
            const auto& seen = view_.ranks.at(rank);
            const auto call = call_of(seen);
            if (call.empty() || !lasts(seen, kMismatchS) || seen.advances) {
                return std::nullopt;
            }
            calls[call].push_back(rank);
        }
        if (calls.size() < 2) {
            return std::nullopt;
        }
        const auto odd = std::min_element(
            calls.begin(), calls.end(),
            [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
        const bool tie = std::count_if(calls.begin(), calls.end(), [&](const auto& call) {
                             return call.second.size() == odd->second.size();
                         }) > 1;
        auto finding = start("collective-mismatch", to_string(Activity::WaitsInCollective), tie ? 0.7 : 0.8,
                             view_.now - stall_s_);
        auto& verdict = finding.verdict;
        const Ranks all = waits_.waiting;
        name_ranks(verdict, tie ? all : odd->second);
        verdict.waiting = tie ? Ranks() : others_wait(odd->second);
        std::string parts;
        for (const auto& [call, ranks] : calls) {
            parts += (parts.empty() ? "" : "; ") + ranks_phrase(ranks) + ": " + call;
        }
        verdict.title = tie ? text(kContext, "The ranks wait in different collectives (%1).", {parts})
                            : text(kContext, "%1 waits in another collective than the others (%2).",
                                   {subject(odd->second, verdict.node), parts});
        for (const int rank : all) {
            for (auto& fact : facts_of(rank, view_.ranks.at(rank), true)) {
                verdict.evidence.push_back(std::move(fact));
            }
        }
        verdict.fix.push_back(text(kContext,
                                   "Make the control flow of all ranks identical: a branch that depends on "
                                   "the rank or on its data must not skip a collective."));
        return finding;
    }

    bool all_wait() const {
        return !waits_.waiting.empty() && waits_.working.empty() && waits_.stuck.empty() &&
               waits_.waiting.size() + view_.finished.size() >= view_.plan.ranks.size() && all_seen_twice();
    }

    std::optional<HangFinding> no_cause() const {
        const bool gpu = std::any_of(view_.ranks.begin(), view_.ranks.end(),
                                     [](const auto& entry) { return entry.second.state.gpu; });
        if (!all_wait() || gpu || view_.plan.ranks.size() < 2) {
            return std::nullopt;
        }
        for (const int rank : waits_.waiting) {
            if (!lasts(view_.ranks.at(rank), kNoCauseS)) {
                return std::nullopt;
            }
        }
        auto finding =
            start("watchdog-timeout", to_string(Activity::WaitsInCollective), 0.3, view_.now - stall_s_);
        auto& verdict = finding.verdict;
        verdict.waiting = waits_.waiting;
        for (const int rank : verdict.waiting) {
            add_node(verdict, view_.ranks.at(rank).node);
        }
        verdict.title = text(kContext, "All ranks wait in a collective, and no cause was found.");
        verdict.fix.push_back(text(kContext, "Read the stacks of the ranks."));
        add_waiters(verdict);
        return finding;
    }

    static constexpr double kBeforeFirstLook = 4;  // of silence, at least

    const HangView& view_;
    RankWaits waits_;
    double stall_s_ = 0;  ///< without steps: since all that wait do so
};

}  // namespace

std::optional<HangFinding> find_hang(const HangView& view) {
    return with_collectives(HangSearch(view).find(), view.collectives, view);
}

std::vector<Evidence> stacks_of(const std::map<int, RankSeen>& ranks) {
    std::vector<Evidence> stacks;
    for (const auto& [rank, seen] : ranks) {
        const auto& stack =
            seen.state.python_stack.empty() ? seen.state.native_stack : seen.state.python_stack;
        stacks.push_back({.text = name_rank(rank, seen.node) + ':' +
                                  (stack.empty() ? ' ' + text(kContext, "no stack could be read") : "")});
        for (const auto& frame : stack) {
            stacks.push_back({.text = "  " + frame});
        }
    }
    return stacks;
}

}  // namespace rankscope::inline runs
