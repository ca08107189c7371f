// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/runs/watch/store_path.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr int kStoreLooks = 2;
constexpr double kLongSilenceS = 10;

// Between a rank and the store, whichever of the two gets no answer.
std::vector<SilentPath> store_paths(const RankWaits& waits, const LaunchPlan& plan) {
    std::vector<SilentPath> paths;
    std::copy_if(waits.silent_paths.begin(), waits.silent_paths.end(), std::back_inserter(paths),
                 [&](const SilentPath& path) {
                     const bool of_store =
                         path.port == plan.master_port || path.socket.local_port == plan.master_port;
                     // A connection that is not made yet holds the start: the rule about hangs has it.
                     return of_store && !path.connecting && !path.to.empty() && path.from != path.to;
                 });
    return paths;
}

HangFinding finding_of(std::vector<SilentPath> paths, const LaunchPlan& plan, double now) {
    double silent = 0;
    HangFinding finding;
    auto& verdict = finding.verdict;
    verdict.id = "master-port-dropped";
    verdict.reason = kStorePath;
    verdict.phase = VerdictPhase::Live;
    verdict.confidence = 0.9;
    verdict.node = common_node(paths);
    std::set<int> ranks;
    std::set<std::string> nodes{plan.master_node};
    std::string others;
    for (const auto& path : paths) {
        silent = std::max(silent, path.socket.answer_idle_s);
        ranks.insert(path.from_rank);
        for (const auto& node : {path.from, path.to}) {
            if (nodes.insert(node).second) {
                others += (others.empty() ? "" : ", ") + node;
            }
        }
        const NodePair pair{path.from, path.to};
        if (std::find(verdict.pairs.begin(), verdict.pairs.end(), pair) == verdict.pairs.end()) {
            verdict.pairs.push_back(pair);
        }
        verdict.evidence.push_back(
            {.text = name_rank(path.from_rank, path.from) + ": " + describe_socket(path.socket)});
    }
    verdict.nodes.assign(nodes.begin(), nodes.end());
    verdict.ranks.assign(ranks.begin(), ranks.end());
    // The title is that of the end, too.
    verdict.title = text(kContext, "Connections of %1 to port %2 of %3, where the ranks met, get no answer.",
                         {others, std::to_string(plan.master_port), plan.master_node});
    verdict.evidence.push_back(
        {.text = text(kContext, "the steps went on; a run ends once its ranks miss each other there")});
    verdict.fix.push_back(
        text(kContext, "Open port %1 of %2 for the other nodes alone, also for connections that exist.",
             {std::to_string(plan.master_port), plan.master_node}));
    finding.since = now - silent;
    finding.paths = std::move(paths);
    return finding;
}

}  // namespace

void StorePathRule::observe(const Event& event) {
    if (const auto* verdict = event.as<DiagnosisEvent>(); verdict != nullptr && is_store_path(*verdict)) {
        live_ = verdict->phase == VerdictPhase::Live ? std::optional<Verdict>(*verdict) : std::nullopt;
    } else if (verdict != nullptr && live_ && verdict->phase == VerdictPhase::Live &&
               verdict->id == live_->id && verdict->node == live_->node && verdict->rank == live_->rank) {
        live_.reset();  // the run stands still by now: another verdict is in its place
    } else if (const auto* metric = event.as<MetricEvent>()) {
        stepped_ = stepped_ || metric->step >= 0;
    } else if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        over_ = true;
    } else if (const auto* stage = event.as<StageEvent>();
               stage != nullptr && stage->name == StageName::Restart) {
        looks_.clear();
        with_ = 0;
        stepped_ = false;
    }
}

std::optional<HangFinding> StorePathRule::take(double now, const std::vector<NodeLook>& looks,
                                               const LaunchPlan& plan, bool stalls) {
    if (over_ || !stepped_ || plan.master_port <= 0 || plan.nodes.size() < 2) {
        return std::nullopt;
    }
    for (const auto& look : looks) {
        looks_.add(now, look.node, look.ranks);
    }
    auto paths = store_paths(find_waits(looks_.ranks(), plan), plan);
    with_ = paths.empty() ? 0 : with_ + 1;
    without_ = paths.empty() ? without_ + 1 : 0;
    if (live_ && without_ >= kStoreLooks) {
        HangFinding over;
        over.verdict = *live_;
        over.verdict.phase = VerdictPhase::Over;
        live_.reset();
        return over;
    }
    const bool long_ago = std::any_of(paths.begin(), paths.end(), [](const SilentPath& path) {
        return path.socket.answer_idle_s >= kLongSilenceS;
    });
    if (live_ || stalls || (with_ < kStoreLooks && !long_ago)) {
        return std::nullopt;
    }
    auto finding = finding_of(std::move(paths), plan, now);
    live_ = finding.verdict;
    return finding;
}

}  // namespace rankscope::inline runs
