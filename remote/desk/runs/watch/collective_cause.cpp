// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/collective_cause.h>
#include <remote/desk/runs/watch/hang_patience.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";

// Seconds without progress. What the collectives show beyond doubt needs no longer.
constexpr double kCertainS = 5;
constexpr double kSilentS = 10;      // RAS itself waits for some seconds
constexpr double kUnfinishedS = 30;  // a GPU may compute within a collective's time
constexpr double kEnough = 0.85;     // confidence of a verdict that the collectives do not replace
constexpr std::size_t kMostEvidence = 24;

using Ranks = std::vector<int>;

bool is_mismatch(CollectiveFault fault) {
    return fault == CollectiveFault::OtherOperation || fault == CollectiveFault::OtherSize ||
           fault == CollectiveFault::OtherType;
}

bool share(const Ranks& some, const Ranks& others) {
    return std::any_of(some.begin(), some.end(), [&](int rank) {
        return std::find(others.begin(), others.end(), rank) != others.end();
    });
}

/// Its ranks wait in a collective that others have not entered.
bool is_victim(const CollectiveFinding& finding, const std::vector<CollectiveFinding>& all) {
    return finding.fault == CollectiveFault::NotEntered &&
           std::all_of(finding.ranks.begin(), finding.ranks.end(), [&](int rank) {
               return std::any_of(all.begin(), all.end(), [&](const CollectiveFinding& other) {
                   return other.fault == CollectiveFault::NotEntered && !share(other.ranks, finding.ranks) &&
                          share({rank}, other.entered);
               });
           });
}

std::string ranks_phrase(const Ranks& ranks) {
    return ranks.size() == 1 ? text(kContext, "rank %1", {list_ranks(ranks)})
                             : text(kContext, "ranks %1", {list_ranks(ranks)});
}

/// "AllReduce 412 of communicator 0xc0ffee".
std::string collective_name(const CollectiveFinding& finding) {
    const std::string name = finding.collective.empty() ? text(kContext, "a collective") : finding.collective;
    return finding.sequence > 0
               ? text(kContext, "%1 %2 of %3", {name, std::to_string(finding.sequence), finding.group_text()})
               : text(kContext, "%1 of %2", {name, finding.group_text()});
}

class CollectiveVerdict {
public:
    CollectiveVerdict(const CollectiveFinding& cause, const HangView& view) : cause_(cause), view_(view) {}

    /// Nothing: it may still be what takes its time.
    std::optional<HangFinding> make() const {
        if (is_mismatch(cause_.fault)) {
            return too_early(patience(kCertainS)) ? std::nullopt : std::optional(mismatch());
        }
        switch (cause_.fault) {
            case CollectiveFault::Silent:
                return too_early(patience(kSilentS)) ? std::nullopt : std::optional(silent());
            case CollectiveFault::Error:
                return too_early(patience(kCertainS)) ? std::nullopt : std::optional(error());
            case CollectiveFault::NotEntered:
                return not_entered();
            case CollectiveFault::Alone:
                return too_early(hang_patience_s(view_, others_work() ? kHangBusyS : kHangIdleS))
                           ? std::nullopt
                           : std::optional(alone());
            default:
                return too_early(hang_patience_s(view_, kUnfinishedS)) ? std::nullopt
                                                                       : std::optional(unfinished());
        }
    }

private:
    bool too_early(double needed_s) const { return !view_.over && view_.stall_s < needed_s; }

    double patience(double least) const {
        return view_.hang_after_s > 0 ? view_.hang_after_s : std::max(least, view_.usual_s);
    }

    /// Then it may only be ahead of them.
    bool others_work() const {
        return std::any_of(view_.ranks.begin(), view_.ranks.end(), [&](const auto& entry) {
            return entry.second.advances && !share({entry.first}, cause_.ranks);
        });
    }

    HangFinding start(FailureId id, const std::string& reason, double confidence) const {
        HangFinding finding;
        auto& verdict = finding.verdict;
        verdict.id = id;
        verdict.reason = reason;
        verdict.confidence = confidence;
        verdict.phase = VerdictPhase::Live;
        verdict.ranks = cause_.ranks;
        verdict.rank = cause_.ranks.size() == 1 ? cause_.ranks.front() : -1;
        for (const auto& rank : view_.plan.ranks) {
            if (!rank.node.empty() && share({rank.rank}, cause_.ranks) &&
                std::find(verdict.nodes.begin(), verdict.nodes.end(), rank.node) == verdict.nodes.end()) {
                verdict.nodes.push_back(rank.node);
            }
        }
        verdict.node = verdict.nodes.size() == 1 ? verdict.nodes.front() : std::string();
        for (const auto& rank : view_.plan.ranks) {
            const bool entered = cause_.entered.empty() || share({rank.rank}, cause_.entered);
            if (entered && !cause_.ranks.empty() && !share({rank.rank}, cause_.ranks) &&
                !view_.finished.contains(rank.rank)) {
                verdict.waiting.push_back(rank.rank);
            }
        }
        finding.since = view_.now - view_.stall_s;
        add_evidence(verdict, cause_);
        return finding;
    }

    std::string subject() const {
        if (cause_.ranks.size() == 1) {
            return capitalized(node_known() ? name_rank(cause_.ranks.front(), node_of(cause_.ranks.front()))
                                            : ranks_phrase(cause_.ranks));
        }
        return capitalized(ranks_phrase(cause_.ranks));
    }

    bool node_known() const { return !node_of(cause_.ranks.front()).empty(); }

    std::string node_of(int rank) const {
        const auto found = std::find_if(view_.plan.ranks.begin(), view_.plan.ranks.end(),
                                        [rank](const RankPlan& plan) { return plan.rank == rank; });
        return found == view_.plan.ranks.end() ? std::string() : found->node;
    }

    /// What is seen of the ranks themselves, behind what the collectives show.
    void add_ranks(Verdict& verdict) const {
        for (const int rank : cause_.ranks) {
            const auto seen = view_.ranks.find(rank);
            if (seen == view_.ranks.end() || verdict.evidence.size() >= kMostEvidence) {
                continue;
            }
            for (auto& fact : facts_of(rank, seen->second, true)) {
                verdict.evidence.push_back(std::move(fact));
            }
        }
    }

    HangFinding mismatch() const {
        auto finding = start("collective-mismatch", to_string(cause_.fault), 0.95);
        auto& verdict = finding.verdict;
        std::string parts;
        for (const auto& call : cause_.calls) {
            const std::string place =
                call.frames.empty() ? "" : text(kContext, " at %1", {call.frames.front()});
            parts += (parts.empty() ? "" : "; ") + ranks_phrase(call.ranks) + ": " + call.call + place;
        }
        if (cause_.ranks.empty()) {
            verdict.title = text(kContext, "The ranks do not call the same collective in %1 (%2).",
                                 {cause_.group_text(), parts});
            for (const auto& call : cause_.calls) {
                verdict.ranks.insert(verdict.ranks.end(), call.ranks.begin(), call.ranks.end());
            }
            std::sort(verdict.ranks.begin(), verdict.ranks.end());
        } else if (cause_.fault == CollectiveFault::OtherSize) {
            verdict.title = text(kContext, "%1 calls %2 with another size than the other ranks (%3).",
                                 {subject(), collective_name(cause_), parts});
        } else if (cause_.fault == CollectiveFault::OtherType) {
            verdict.title = text(kContext, "%1 calls %2 with another type than the other ranks (%3).",
                                 {subject(), collective_name(cause_), parts});
        } else {
            verdict.title = text(kContext, "%1 calls another collective where the others call %2 (%3).",
                                 {subject(), collective_name(cause_), parts});
        }
        verdict.fix.push_back(
            cause_.fault == CollectiveFault::OtherOperation
                ? text(
                      kContext,
                      "Make the control flow of all ranks identical: a branch that depends on the rank or on "
                      "its data must not skip a collective.")
                : text(kContext,
                       "Pass tensors of the same size and type on all ranks: pad the last batch, or use "
                       "drop_last=True."));
        add_ranks(verdict);
        return finding;
    }

    HangFinding silent() const {
        auto finding = start("nccl-rank-silent", cause_.reason, 0.8);
        auto& verdict = finding.verdict;
        verdict.title = text(
            kContext, "The process of %1 does not answer NCCL's RAS service, and the run makes no progress.",
            {cause_.ranks.size() == 1 && node_known()
                 ? name_rank(cause_.ranks.front(), node_of(cause_.ranks.front()))
                 : ranks_phrase(cause_.ranks)});
        verdict.fix.push_back(text(kContext, "Check the state of the process and the network of its node."));
        add_ranks(verdict);
        return finding;
    }

    HangFinding error() const {
        auto finding = start("nccl-communicator-error", cause_.reason, 0.85);
        auto& verdict = finding.verdict;
        verdict.title = text(kContext, "NCCL reports an error on %1: %2 (%3).",
                             {ranks_phrase(cause_.ranks), cause_.reason, cause_.group_text()});
        verdict.fix.push_back(text(
            kContext, "Read the log of these ranks with NCCL_DEBUG=WARN: NCCL names the failed call there."));
        add_ranks(verdict);
        return finding;
    }

    std::optional<HangFinding> not_entered() const {
        const RankSeen* first = nullptr;
        double needed = hang_patience_s(view_, kHangIdleS);
        for (const int rank : cause_.ranks) {
            const auto found = view_.ranks.find(rank);
            if (found == view_.ranks.end()) {
                continue;
            }
            const auto& seen = found->second;
            first = first == nullptr ? &seen : first;
            // Its GPU may compute: validation on one rank, for example.
            const bool works = seen.advances || seen.activity.kind == Activity::WaitsForGpu;
            needed = std::max(needed, hang_patience_s(view_, works ? kHangBusyS : kHangIdleS, &seen));
        }
        if (too_early(needed)) {
            return std::nullopt;  // validation or a checkpoint on one rank looks the same
        }
        const bool known = first != nullptr && explains(first->activity.kind);
        auto finding = start(known ? FailureId("rank-hang") : FailureId("nccl-rank-behind"),
                             first != nullptr ? to_string(first->activity.kind) : "", known ? 0.9 : 0.8);
        auto& verdict = finding.verdict;
        const std::string waits = verdict.waiting.size() == 1
                                      ? text(kContext, "%1 waits", {ranks_phrase(verdict.waiting)})
                                      : text(kContext, "%1 wait", {ranks_phrase(verdict.waiting)});
        const std::string waiting = view_.over || known ? waits : with_least_age(view_, waits, view_.stall_s);
        verdict.title = known && !view_.over
                            ? text(kContext, "%1 has not entered %2, in which %3: %4.",
                                   {subject(), collective_name(cause_), waiting,
                                    with_least_age(view_, describe_activity(*first), view_.stall_s)})
                            : text(kContext, "%1 has not entered %2, in which %3.",
                                   {subject(), collective_name(cause_), waiting});
        add_ranks(verdict);
        if (first != nullptr) {
            add_fixes(verdict, *first);
        }
        return finding;
    }

    HangFinding alone() const {
        auto finding = start("collective-mismatch", to_string(cause_.fault), 0.7);
        auto& verdict = finding.verdict;
        verdict.waiting.clear();
        verdict.title = text(kContext, "%1 waits in %2, which the other ranks have not called.",
                             {subject(), collective_name(cause_)});
        verdict.fix.push_back(text(kContext,
                                   "Make the control flow of all ranks identical: a branch that depends on "
                                   "the rank or on its data must not skip a collective."));
        add_ranks(verdict);
        return finding;
    }

    HangFinding unfinished() const {
        const bool all = cause_.ranks.size() >= view_.plan.ranks.size();
        auto finding = start("nccl-gpu-unfinished", cause_.reason, all ? 0.4 : 0.7);
        auto& verdict = finding.verdict;
        verdict.title =
            all ? text(kContext,
                       "All ranks have entered %1, and it does not end: the network or a GPU holds it.",
                       {collective_name(cause_)})
                : text(kContext,
                       "%1 has entered %2 and does not finish it; the other ranks have finished it.",
                       {subject(), collective_name(cause_)});
        verdict.fix.push_back(
            text(kContext,
                 "Check the GPUs of these ranks (`nvidia-smi`, Xid lines in the kernel log) and the "
                 "network between their nodes."));
        add_ranks(verdict);
        return finding;
    }

    // Beyond that it does not come.
    static bool explains(Activity kind) {
        switch (kind) {
            case Activity::UsesFile:
            case Activity::WaitsForFileLock:
            case Activity::WaitsForPipe:
            case Activity::WaitsForLock:
            case Activity::WaitsForChild:
            case Activity::Sleeps:
            case Activity::SpinsOnCpu:
            case Activity::Throttled:
            case Activity::Stopped:
            case Activity::Traced:
                return true;
            default:
                return false;
        }
    }

    static void add_evidence(Verdict& verdict, const CollectiveFinding& cause) {
        for (const auto& line : cause.evidence) {
            verdict.evidence.push_back({.text = line});
        }
    }

    const CollectiveFinding& cause_;
    const HangView& view_;
};

/// The collective that shows the same fault as the verdict; nullptr: none does.
const CollectiveFinding* finding_about(const Verdict& verdict,
                                       const std::vector<CollectiveFinding>& findings) {
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const CollectiveFinding& finding) {
        return (!verdict.ranks.empty() && share(verdict.ranks, finding.ranks)) ||
               (verdict.ranks.empty() && share(verdict.waiting, finding.ranks));
    });
    return found == findings.end() ? nullptr : &*found;
}

void add_lines(Verdict& verdict, const CollectiveFinding& finding) {
    for (const auto& line : finding.evidence) {
        if (verdict.evidence.size() < kMostEvidence) {
            verdict.evidence.push_back({.text = line});
        }
    }
}

/// What was measured at the rank or on the network itself: a collective can only show its consequence.
bool is_measured(const Verdict& verdict) {
    const bool held = verdict.reason == to_string(Activity::UsesFile) ||
                      verdict.reason == to_string(Activity::WaitsForFileLock) ||
                      verdict.reason == to_string(Activity::Traced) ||
                      verdict.reason == to_string(Activity::Throttled);
    return verdict.id == FailureId("rank-stopped") || verdict.id == FailureId("rank-exit-early") ||
           verdict.id == FailureId("node-lost") || !verdict.pairs.empty() || held;
}

}  // namespace

std::vector<CollectiveFinding> by_cause(std::vector<CollectiveFinding> findings) {
    std::vector<std::tuple<bool, bool, CollectiveFault, std::size_t>> order;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        order.emplace_back(!findings[i].standing, is_victim(findings[i], findings), findings[i].fault, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<CollectiveFinding> sorted;
    sorted.reserve(findings.size());
    for (const auto& entry : order) {
        sorted.push_back(std::move(findings[std::get<std::size_t>(entry)]));
    }
    return sorted;
}

std::optional<HangFinding> with_collectives(std::optional<HangFinding> found,
                                            const std::vector<CollectiveFinding>& findings,
                                            const HangView& view) {
    auto standing = by_cause(findings);
    std::erase_if(standing, [&](const CollectiveFinding& finding) {
        // One that has ended answers no more.
        return !finding.standing || (finding.fault == CollectiveFault::Silent &&
                                     std::all_of(finding.ranks.begin(), finding.ranks.end(),
                                                 [&](int rank) { return view.finished.contains(rank); }));
    });
    if (standing.empty()) {
        return found;
    }
    const CollectiveFinding* same = found ? finding_about(found->verdict, standing) : nullptr;
    const bool proof = is_mismatch(standing.front().fault);
    const bool keep = found && (is_measured(found->verdict) ||
                                (same != nullptr && !proof && same->fault != CollectiveFault::Silent &&
                                 found->verdict.id == FailureId("rank-hang")) ||
                                (found->verdict.confidence >= kEnough && !proof));
    if (keep) {
        if (same != nullptr) {
            add_lines(found->verdict, *same);
            found->with_collectives = true;
            found->verdict.confidence = std::max(found->verdict.confidence, 0.9);
        }
        return found;
    }
    for (const auto& cause : standing) {
        if (auto verdict = CollectiveVerdict(cause, view).make()) {
            for (const auto& other : standing) {
                if (&other != &cause && (share(other.ranks, cause.ranks) || cause.ranks.empty())) {
                    add_lines(verdict->verdict, other);
                }
            }
            verdict->with_collectives = true;
            return verdict;
        }
    }
    return found;
}

}  // namespace rankscope::inline runs
