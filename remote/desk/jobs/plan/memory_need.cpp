// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/plan/memory_need.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

/// Ranks by node and index of their GPU.
std::map<std::pair<std::string, int>, std::uint64_t> ranks_of_gpus(const LaunchPlan& plan) {
    constexpr std::string_view kCuda = "cuda:";
    std::map<std::pair<std::string, int>, std::uint64_t> ranks;
    for (const RankPlan& rank : plan.ranks) {
        if (rank.device.starts_with(kCuda)) {
            if (const auto index = parse_number<int>(std::string_view(rank.device).substr(kCuda.size()))) {
                ++ranks[{rank.node, *index}];
            }
        }
    }
    return ranks;
}

}  // namespace

std::int64_t MemoryNeed::fitting_batch() const {
    const std::uint64_t kept = needed.parameters() + needed.libraries;
    if (there <= kept || batch_size < 1) {
        return 0;
    }
    const double of_sample = static_cast<double>(needed.activations) / static_cast<double>(batch_size);
    const double samples = static_cast<double>(there - kept) / std::max(of_sample, 1.0);
    std::int64_t fitting = 0;
    for (std::int64_t batch = 1; static_cast<double>(batch) <= samples && batch <= batch_size; batch *= 2) {
        fitting = batch;
    }
    return fitting;
}

std::optional<MemoryNeed> memory_need(const LaunchPlan& plan, const KnownFacts& facts) {
    if (!plan.cost) {
        return std::nullopt;
    }
    std::optional<MemoryNeed> need;
    for (const auto& [place, sharing] : ranks_of_gpus(plan)) {
        const auto node = facts.find(place.first);
        if (node == facts.end()) {
            continue;
        }
        for (const GpuFacts& gpu : node->second.gpus) {
            const std::uint64_t there = gpu.memory_bytes / sharing;
            if (gpu.index == place.second && there > 0 && (!need || there < need->there)) {
                need = MemoryNeed{plan.cost->memory, plan.cost->batch_size, place.first, gpu.name, there};
            }
        }
    }
    return need;
}

std::string memory_note(const std::optional<MemoryNeed>& need) {
    if (!need || need->fits()) {
        return {};
    }
    const std::int64_t batch = need->fitting_batch();
    const std::string note =
        text(kContext, "A rank needs about %1 of GPU memory, and %2 on %3 has %4 for it.",
             {size_text(need->needed.total()), need->gpu, need->node, size_text(need->there)});
    return note + " " +
           (batch > 0 ? text(kContext, "A batch of %1 fits.", {std::to_string(batch)})
                      : text(kContext, "Not even a batch of one sample fits."));
}

}  // namespace rankscope::inline jobs
