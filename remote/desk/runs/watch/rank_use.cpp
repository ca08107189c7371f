// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/rank_use.h>

#include <algorithm>
#include <array>

namespace rankscope::inline runs {
namespace {

constexpr double kLeastInterval = 0.2;  // seconds

double share(double now, double before, double interval) {
    return std::clamp((now - before) / interval, 0.0, 1.0);
}

constexpr std::array kShares{&RankUse::own,    &RankUse::runs,  &RankUse::file,           &RankUse::child,
                             &RankUse::sleeps, &RankUse::data,  &RankUse::queued,         &RankUse::throttled,
                             &RankUse::faults, &RankUse::cores, &RankUse::memory_stalled, &RankUse::cpu_hz};

void take_names(RankUse& into, const RankUse& from) {
    if (from.throttled > 0 && !from.throttled_by.empty()) {
        into.throttled_by = from.throttled_by;
        into.cpu_limit = from.cpu_limit;
    }
    if (!from.file_system.empty() || !from.file_name.empty()) {
        into.file_name = from.file_name;
        into.file_system = from.file_system;
        into.source = from.source;
    }
    if (!from.neighbours.empty()) {
        into.neighbours = from.neighbours;
    }
    if (from.pcie > 0) {
        into.pcie = from.pcie;
    }
    if (from.memory_used > 0) {
        into.memory_used = from.memory_used;
    }
}

}  // namespace

RankUse use_of(const std::string& node, const RankSnapshot& now, const RankSnapshot* before) {
    RankUse use;
    use.node = node;
    const auto& series = now.series;
    const double taken = series.taken;
    if (taken > 0) {
        use.samples = taken;
        use.runs = series.runs / taken;
        use.file = series.uses_file / taken;
        use.child = series.waits_child / taken;
        use.sleeps = series.sleeps / taken;
        use.own = use.runs + use.file + use.child + use.sleeps;
        use.turns = series.turns;
    }
    if (series.seconds > 0) {
        use.queued = std::clamp(series.queued_s / series.seconds, 0.0, 1.0);
        use.faults = static_cast<double>(series.major_faults) / series.seconds;
        use.cores = series.cpu_s / series.seconds;
    }
    use.cpu_hz = series.cpu_hz;
    use.file_name = series.file;
    use.file_system = series.file_system;
    use.source = series.source;
    use.neighbours = series.neighbours;
    const double interval = before == nullptr ? 0 : now.elapsed_s - before->elapsed_s;
    if (before != nullptr && before->pid == now.pid && interval >= kLeastInterval) {
        use.throttled = share(now.throttled_s, before->throttled_s, interval);
        use.memory_stalled = share(now.memory_stalled_s, before->memory_stalled_s, interval);
        use.throttled_by = now.throttled_by;
        use.cpu_limit = now.cpu_limit;
    }
    return use;
}

std::map<int, RankUse> together(const std::vector<const Round*>& rounds) {
    std::map<int, RankUse> sums;
    std::map<int, std::size_t> seen;
    for (const auto* round : rounds) {
        for (const auto& [rank, use] : round->ranks) {
            auto& sum = sums[rank];
            ++seen[rank];
            sum.node = use.node;
            sum.samples += use.samples;
            sum.turns += use.turns;
            for (const auto field : kShares) {
                sum.*field += use.*field * use.samples;
            }
            take_names(sum, use);
        }
    }
    std::erase_if(sums, [&](const auto& entry) {
        return seen[entry.first] != rounds.size() || entry.second.samples <= 0;
    });
    for (auto& [rank, sum] : sums) {
        for (const auto field : kShares) {
            sum.*field /= sum.samples;
        }
    }
    return sums;
}

double median_of_others(const std::vector<double>& values, std::size_t left_out) {
    std::vector<double> others;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != left_out) {
            others.push_back(values[i]);
        }
    }
    if (others.empty()) {
        return 0;
    }
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    if (others.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(others.begin(), middle)) / 2;
}

std::map<int, double> excesses_of(const std::map<int, RankUse>& ranks) {
    std::vector<double> own;
    own.reserve(ranks.size());
    for (const auto& [rank, use] : ranks) {
        own.push_back(use.own);
    }
    std::sort(own.begin(), own.end());
    std::map<int, double> excesses;
    for (const auto& [rank, use] : ranks) {
        if (own.size() < 2) {
            excesses[rank] = 0;
            continue;
        }
        // Of the sorted values without this one.
        const auto left_out =
            static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), use.own) - own.begin());
        const auto other = [&](std::size_t place) { return own[place + (place >= left_out ? 1 : 0)]; };
        const std::size_t count = own.size() - 1;
        excesses[rank] = use.own - (other(count / 2) + other((count - 1) / 2)) / 2;
    }
    return excesses;
}

double excess_in_stage(int rank, const std::map<int, RankUse>& ranks, const std::map<int, int>& stages) {
    const auto stage_of = [&](int one) {
        const auto found = stages.find(one);
        return found == stages.end() ? -1 : found->second;
    };
    std::map<int, RankUse> same;
    for (const auto& [other, use] : ranks) {
        if (stage_of(other) == stage_of(rank)) {
            same.emplace(other, use);
        }
    }
    return same.size() > 1 ? excesses_of(same).at(rank) : 0;
}

}  // namespace rankscope::inline runs
