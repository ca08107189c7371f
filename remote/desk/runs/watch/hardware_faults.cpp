// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/hardware_faults.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr std::size_t kMostFaults = 256;

// What explains the others first.
constexpr std::array<std::string_view, 5> kIds{"gpu-fell-off-bus", "gpu-ecc", "nvlink-error", "link-down",
                                               "gpu-mmu-fault"};

std::size_t weight_of(FailureId id) {
    return static_cast<std::size_t>(std::find(kIds.begin(), kIds.end(), id.text()) - kIds.begin());
}

bool uses_link(const LaunchPlan& plan, const std::string& node, const NoticeEvent& notice) {
    const auto planned = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                      [&](const NodePlan& one) { return one.node == node; });
    return planned != plan.nodes.end() && plan.nodes.size() > 1 &&
           (planned->interface_name.empty() ||
            (!notice.args.empty() && notice.args.front() == planned->interface_name));
}

// A program's own mistake right after an error that was corrected is not its consequence.
bool fits(const ExitEvent& exit) {
    const auto names_gpu = [](const std::string& line) {
        return line.find("CUDA") != std::string::npos || line.find("NCCL") != std::string::npos ||
               line.find("cuda") != std::string::npos;
    };
    return exit.signal != 0 || exit.lost_peer || names_gpu(exit.reason) ||
           std::any_of(exit.last_lines.begin(), exit.last_lines.end(), names_gpu);
}

}  // namespace

void HardwareFaults::observe(const Event& event) {
    const auto* notice = event.as<NoticeEvent>();
    if (notice != nullptr && !event.node.empty() && weight_of(notice->id) < kIds.size() &&
        faults_.size() < kMostFaults) {
        faults_.push_back({event.node, event.t_us, *notice});
    }
}

std::optional<Verdict> HardwareFaults::cause(std::int64_t since_us, const std::string& node,
                                             const LaunchPlan& plan) const {
    const Fault* worst = nullptr;
    for (const auto& fault : faults_) {
        if (fault.t_us < since_us || (!node.empty() && fault.node != node) ||
            (fault.notice.id == "link-down" && !uses_link(plan, fault.node, fault.notice))) {
            continue;
        }
        if (worst == nullptr || weight_of(fault.notice.id) < weight_of(worst->notice.id)) {
            worst = &fault;
        }
    }
    if (worst == nullptr) {
        return std::nullopt;
    }
    Verdict verdict;
    verdict.id = worst->notice.id;
    verdict.phase = VerdictPhase::Live;
    verdict.node = worst->node;
    verdict.nodes = {worst->node};
    verdict.reason = verdict.id == "link-down" ? "link" : "kernel-log";
    verdict.confidence = verdict.id == "gpu-mmu-fault" ? 0.7 : 0.9;
    verdict.title = worst->notice.title;
    verdict.fix = worst->notice.fix;
    verdict.since_us = worst->t_us;
    for (const auto& rank : plan.ranks) {
        (rank.node == worst->node ? verdict.ranks : verdict.waiting).push_back(rank.rank);
    }
    verdict.rank = verdict.ranks.size() == 1 ? verdict.ranks.front() : -1;
    for (const auto& line : worst->notice.evidence) {
        verdict.evidence.push_back({.text = text(kContext, "kernel of %1: %2", {worst->node, line})});
    }
    return verdict;
}

std::optional<Verdict> HardwareFaults::cause_of_exit(const std::string& node, int rank, std::int64_t t_us,
                                                     const ExitEvent& exit, const LaunchPlan& plan) const {
    constexpr std::int64_t kBefore_us = 120'000'000;
    auto verdict = fits(exit) ? cause(t_us - kBefore_us, node, plan) : std::nullopt;
    if (verdict) {
        verdict->phase = VerdictPhase::End;
        verdict->rank = rank;
        verdict->ranks = {rank};
        verdict->waiting.clear();
        for (const auto& line : exit.last_lines) {
            verdict->evidence.push_back({.text = line});
        }
    }
    return verdict;
}

}  // namespace rankscope::inline runs
