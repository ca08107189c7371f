// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <base/text.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cmath>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Straggler";
constexpr double kMuchThrottled = 0.08;  // shares of the time, beyond those of the others
constexpr double kMuchQueued = 0.08;
constexpr double kMuchStalled = 0.08;
constexpr double kWorthALine = 0.05;
constexpr double kFullMemory = 0.85;
constexpr double kManyFaults = 20;      // pages per second
constexpr double kMostOfIt = 0.4;       // of the excess
constexpr double kLowFrequency = 0.85;  // of the others'

/// The rank's figures beside those of the others.
class Comparison {
public:
    Comparison(int rank, double excess, const std::map<int, RankUse>& ranks)
        : own_(ranks.at(rank)), ranks_(ranks), excess_(excess) {
        at_ = static_cast<std::size_t>(std::distance(ranks.begin(), ranks.find(rank)));
    }

    SlowCause take() {
        evidence();
        if (!by_control_group() && !by_memory() && !by_disk() && !by_neighbour() && !by_frequency() &&
            !by_data()) {
            by_program();
        }
        return cause_;
    }

private:
    double others(double RankUse::*field) const {
        std::vector<double> values;
        values.reserve(ranks_.size());
        for (const auto& [rank, use] : ranks_) {
            values.push_back(use.*field);
        }
        return median_of_others(values, at_);
    }
    double more(double RankUse::*field) const { return own_.*field - others(field); }
    bool most_of_it(double RankUse::*field) const { return more(field) >= kMostOfIt * excess_; }

    bool set(SlowReason reason, std::string because, std::string fix) {
        cause_.reason = reason;
        cause_.because = std::move(because);
        cause_.fix = {std::move(fix)};
        return true;
    }
    void add(std::string line) { cause_.evidence.push_back(std::move(line)); }

    // Every figure that differs, whatever the cause.
    void evidence() {
        const auto add_if_more = [&](double RankUse::*field, const auto& sentence) {
            if (more(field) >= kWorthALine) {
                add(sentence(percent(own_.*field), percent(others(field))));
            }
        };
        using Text = const std::string&;
        add_if_more(&RankUse::runs, [](Text own, Text usual) {
            return text(kContext, "it computes %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::file, [](Text own, Text usual) {
            return text(kContext, "it waits for files %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::child, [](Text own, Text usual) {
            return text(kContext, "it waits for its own processes %1 of the time, the others %2",
                        {own, usual});
        });
        add_if_more(&RankUse::sleeps, [](Text own, Text usual) {
            return text(kContext, "it sleeps %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::data, [](Text own, Text usual) {
            return text(kContext, "it waits for data %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::queued, [](Text own, Text usual) {
            return text(kContext, "it waits for a CPU %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::throttled, [](Text own, Text usual) {
            return text(kContext, "its control group stops it %1 of the time, the others %2", {own, usual});
        });
        add_if_more(&RankUse::memory_stalled, [](Text own, Text usual) {
            return text(kContext, "it waits for memory %1 of the time, the others %2", {own, usual});
        });
        if (own_.faults >= kManyFaults && more(&RankUse::faults) >= kManyFaults) {
            add(text(kContext, "it reads %1 pages of memory from disk per second, the others %2",
                     {short_number(own_.faults), short_number(others(&RankUse::faults))}));
        }
    }

    bool by_control_group() {
        if (more(&RankUse::throttled) < kMuchThrottled) {
            return false;
        }
        const auto group = own_.throttled_by.empty() ? std::string("/") : own_.throttled_by;
        return own_.cpu_limit > 0
                   ? set(SlowReason::CpuQuota,
                         text(kContext, "its control group %1 permits %2 CPUs",
                              {group, short_number(own_.cpu_limit)}),
                         text(kContext, "Raise the CPU limit of the control group %1 on %2 (cpu.max).",
                              {group, own_.node}))
                   : set(SlowReason::CpuQuota,
                         text(kContext, "its control group %1 limits its CPU time", {group}),
                         text(kContext, "Raise the CPU limit of the control group %1 on %2 (cpu.max).",
                              {group, own_.node}));
    }

    bool by_memory() {
        // Pages of mapped files look the same, but they do not need the memory to be full.
        const bool pages = own_.file_name.empty() && own_.memory_used >= kFullMemory &&
                           more(&RankUse::faults) >= kManyFaults && most_of_it(&RankUse::file);
        if (!pages && more(&RankUse::memory_stalled) < kMuchStalled) {
            return false;
        }
        return set(
            SlowReason::MemoryPressure, text(kContext, "its memory is short"),
            text(kContext, "On %1: end what uses memory, or use smaller batches or fewer loader processes.",
                 {own_.node}));
    }

    bool by_disk() {
        if (!most_of_it(&RankUse::file)) {
            return false;
        }
        std::string what = own_.file_name.empty() ? own_.source : own_.file_name;
        if (!own_.file_system.empty()) {
            what += (what.empty() ? "" : " ") + ("(" + own_.file_system);
            what += own_.source.empty() || own_.file_name.empty() ? ")" : ", " + own_.source + ")";
        }
        return set(
            SlowReason::SlowDisk,
            what.empty() ? text(kContext, "it waits for a disk")
                         : text(kContext, "it waits for the file %1", {what}),
            text(kContext, "On %1: check the disk or the file server, or copy the data to a faster one.",
                 {own_.node}));
    }

    bool by_neighbour() {
        if (more(&RankUse::queued) < std::max(kMuchQueued, kMostOfIt * excess_ * 0.75)) {
            return false;
        }
        for (const auto& other : own_.neighbours) {
            add(text(kContext, "%1 (pid %2, user %3) uses %4 CPUs",
                     {other.command, std::to_string(other.pid), other.user, short_number(other.cpus)}));
        }
        const std::string look = text(
            kContext, "On %1: look for other programs, and give the ranks CPUs of their own.", {own_.node});
        if (own_.neighbours.empty()) {
            return set(SlowReason::Neighbour, text(kContext, "other processes use its CPUs"), look);
        }
        const auto& first = own_.neighbours.front();
        // The window that shows this is not to be ended.
        const bool is_window = base_name(first.command.substr(0, first.command.find(' '))) == "rankscope";
        return set(SlowReason::Neighbour,
                   text(kContext, "%1 (pid %2, user %3) uses its CPUs",
                        {first.command, std::to_string(first.pid), first.user}),
                   is_window ? look
                             : text(kContext, "On %1: end process %2, or give the ranks CPUs of their own.",
                                    {own_.node, std::to_string(first.pid)}));
    }

    bool by_frequency() {
        const double usual = others(&RankUse::cpu_hz);
        if (own_.cpu_hz <= 0 || own_.cpu_hz >= kLowFrequency * usual || !most_of_it(&RankUse::runs)) {
            return false;
        }
        return set(SlowReason::CpuFrequency,
                   text(kContext, "its CPU runs at %1 GHz, those of the others at %2 GHz",
                        {short_number(own_.cpu_hz * 1e-9), short_number(usual * 1e-9)}),
                   text(kContext, "On %1: check frequency governor, power limit and cooling.", {own_.node}));
    }

    bool by_data() {
        if (!most_of_it(&RankUse::child) && !most_of_it(&RankUse::data)) {
            return false;
        }
        return set(
            SlowReason::DataWait, text(kContext, "it waits for its data"),
            text(kContext, "Use more loader processes, or data that is faster to read, on %1.", {own_.node}));
    }

    void by_program() {
        const double usual = others(&RankUse::pcie);
        if (own_.pcie > 0 && own_.pcie < usual) {
            set(SlowReason::PcieWidth,
                text(kContext, "the PCIe link of its GPU has %1 lanes, those of the others %2",
                     {short_number(own_.pcie), short_number(usual)}),
                text(kContext, "On %1: check the GPU's slot and its riser.", {own_.node}));
        } else if (most_of_it(&RankUse::sleeps)) {
            set(SlowReason::Sleeps, text(kContext, "its program sleeps"),
                text(kContext, "Look for sleep() in the program, where it depends on the rank."));
        } else if (most_of_it(&RankUse::runs) && more(&RankUse::cores) >= kMostOfIt * excess_) {
            set(SlowReason::MoreWork, text(kContext, "it computes more than the others"),
                text(kContext,
                     "Look for what the program does on this rank alone: larger batches, logging, "
                     "evaluation."));
        } else {
            cause_.fix = {text(kContext, "Compare the node %1 with the others: `rankscopectl preflight`.",
                               {own_.node})};
        }
    }

    const RankUse& own_;
    const std::map<int, RankUse>& ranks_;
    double excess_;
    std::size_t at_ = 0;
    SlowCause cause_;
};

}  // namespace

SlowCause cause_of(int rank, double excess, const std::map<int, RankUse>& ranks) {
    return Comparison(rank, excess, ranks).take();
}

std::string percent(double share) {
    return std::to_string(std::lround(share * 100)) + " %";
}

std::string short_number(double value) {
    return value >= 99.5 ? std::to_string(std::lround(value)) : short_number_text(value, 2);
}

}  // namespace rankscope::inline runs
