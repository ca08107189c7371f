// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/pipeline_step.h>

#include <algorithm>
#include <limits>

namespace rankscope::inline runs {
namespace {

/// Empty: the rank is in no pipeline.
std::vector<int> pipeline_of(const RunMesh& mesh, int rank) {
    for (std::size_t i = 0; i < mesh.groups.size(); ++i) {
        const std::vector<int>& ranks = mesh.groups[i].ranks;
        if (mesh.mesh.places[i].role == GroupRole::Pipeline &&
            std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) {
            return ranks;
        }
    }
    return {};
}

const ReportedPasses* passes_of(const RankState& rank, std::int64_t step) {
    const auto found = std::find_if(rank.passes.begin(), rank.passes.end(),
                                    [&](const ReportedPasses& one) { return one.step == step; });
    return found == rank.passes.end() ? nullptr : &*found;
}

/// −1: none.
std::int64_t common_step(const RunState& run, const std::vector<int>& ranks) {
    for (const ReportedPasses& newest : run.ranks[static_cast<std::size_t>(ranks.front())].passes) {
        if (std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
                return passes_of(run.ranks[static_cast<std::size_t>(rank)], newest.step) != nullptr;
            })) {
            return newest.step;
        }
    }
    return -1;
}

}  // namespace

bool has_passes(const RunState& run) {
    return std::any_of(run.ranks.begin(), run.ranks.end(),
                       [](const RankState& rank) { return !rank.passes.empty(); });
}

std::optional<PipelineStep> newest_step(const RunState& run, const RunMesh& mesh, int rank) {
    const std::vector<int> ranks = pipeline_of(mesh, rank);
    const bool known =
        !ranks.empty() && ranks.front() >= 0 && static_cast<std::size_t>(ranks.back()) < run.ranks.size();
    PipelineStep whole;
    whole.step = known ? common_step(run, ranks) : -1;
    if (whole.step < 0) {
        return std::nullopt;
    }
    double first = std::numeric_limits<double>::max();
    double last = std::numeric_limits<double>::lowest();
    for (const int member : ranks) {
        const ReportedPasses& reported = *passes_of(run.ranks[static_cast<std::size_t>(member)], whole.step);
        PipelineStep::Stage& stage = whole.stages.emplace_back();
        stage.rank = member;
        for (const PipelinePass& pass : reported.passes) {
            const double begin = static_cast<double>(reported.t_us) + pass.begin_ms * 1e3;
            stage.passes.push_back({pass.micro_batch, pass.forward, begin, pass.length_ms * 1e3});
            stage.busy_us += stage.passes.back().length_us;
            first = std::min(first, begin);
            last = std::max(last, begin + stage.passes.back().length_us);
        }
    }
    whole.length_us = last - first;
    double busy = 0;
    for (PipelineStep::Stage& stage : whole.stages) {
        for (PlacedPass& pass : stage.passes) {
            pass.begin_us -= first;
        }
        busy += stage.busy_us;
    }
    whole.longest = static_cast<int>(
        std::max_element(whole.stages.begin(), whole.stages.end(),
                         [](const auto& a, const auto& b) { return a.busy_us < b.busy_us; }) -
        whole.stages.begin());
    whole.waiting =
        whole.length_us > 0
            ? std::max(0.0, 1 - busy / (whole.length_us * static_cast<double>(whole.stages.size())))
            : 0;
    return whole;
}

}  // namespace rankscope::inline runs
