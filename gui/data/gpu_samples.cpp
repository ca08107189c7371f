// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/gpu_samples.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace rankscope::gui {

namespace {

constexpr int kMostGpus = 1024;  // of one node: more is no index

// In the order of GpuFigure.
constexpr std::array<std::string_view, kGpuFigures> kKeys{
    "util",          "mem_used",  "mem_total", "temp",         "power",         "power_limit", "sm_clock",
    "sm_clock_max",  "mem_clock", "throttle",  "ecc",          "ecc_corrected", "nvlink_tx",   "nvlink_rx",
    "nvlink_errors", "pcie_tx",   "pcie_rx",   "pcie_replays", "pcie_gen",      "pcie_width"};

/// Takes a number and the point after it from the front.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto digits = std::size_t(read.ptr - text.data());
    if (read.ec != std::errc() || number < 0 || digits >= text.size() || text[digits] != '.') {
        return std::nullopt;
    }
    text.remove_prefix(digits + 1);
    return number;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

void add_rank(GpuSample& gpu, std::string_view rest) {
    const auto rank = take_number(rest);
    if (rank && rest == "mem_used" &&
        std::find(gpu.ranks.begin(), gpu.ranks.end(), *rank) == gpu.ranks.end()) {
        gpu.ranks.push_back(*rank);
    }
}

}  // namespace

std::vector<GpuSample> gpu_samples(const NodeSamples& node, std::int64_t grace_us) {
    std::map<int, GpuSample> gpus;
    for (auto it = node.values.lower_bound("gpu."); it != node.values.end(); ++it) {
        std::string_view key = it->first;
        if (!take_prefix(key, "gpu.")) {
            break;
        }
        const auto index = take_number(key);
        if (!index || *index >= kMostGpus) {
            continue;
        }
        GpuSample& gpu = gpus[*index];
        const NodeSamples::Value& value = it->second;
        const bool current = node.last_us - value.last_us <= grace_us;
        if (take_prefix(key, "rank.")) {
            if (current) {
                add_rank(gpu, key);
            }
            continue;
        }
        const auto* const at = std::find(kKeys.begin(), kKeys.end(), key);
        if (at != kKeys.end()) {
            const auto figure = std::size_t(at - kKeys.begin());
            gpu.seen_us[figure] = value.last_us;
            gpu.values[figure] = current ? value.last : GpuSample::kAbsent;
        }
    }
    std::vector<GpuSample> all;
    for (auto& [index, gpu] : gpus) {
        gpu.index = index;
        std::sort(gpu.ranks.begin(), gpu.ranks.end());
        all.push_back(std::move(gpu));
    }
    return all;
}

ClockLimit clock_limit(double throttle) {
    constexpr double kMostBits = 4e9;
    if (!(throttle >= 0 && throttle < kMostBits)) {
        return ClockLimit::Unknown;
    }
    struct Reason {
        std::uint64_t bits;
        ClockLimit limit;
    };
    // nvml.h; the most serious first.
    static constexpr std::array<Reason, 7> kReasons{{{0x20 | 0x40, ClockLimit::Heat},
                                                     {0x80, ClockLimit::PowerSupply},
                                                     {0x8, ClockLimit::Board},
                                                     {0x4, ClockLimit::PowerLimit},
                                                     {0x10, ClockLimit::SyncBoost},
                                                     {0x2 | 0x100, ClockLimit::Setting},
                                                     {0x1, ClockLimit::Idle}}};
    const auto bits = std::uint64_t(throttle);
    const auto* const found = std::find_if(
        kReasons.begin(), kReasons.end(), [bits](const Reason& reason) { return (bits & reason.bits) != 0; });
    return found == kReasons.end() ? ClockLimit::None : found->limit;
}

bool is_slowed_down(ClockLimit limit) {
    return limit == ClockLimit::Heat || limit == ClockLimit::PowerSupply || limit == ClockLimit::Board;
}

bool is_faulty(const GpuSample& gpu) {
    return gpu[GpuFigure::Ecc] > 0 || is_slowed_down(clock_limit(gpu[GpuFigure::Throttle]));
}

std::map<GpuPlace, std::vector<int>> planned_ranks(const RunState& run) {
    std::map<GpuPlace, std::vector<int>> ranks;
    for (const RankState& rank : run.ranks) {
        if (const int gpu = gpu_of_device(rank.device); gpu >= 0) {
            ranks[{rank.node, gpu}].push_back(rank.rank);
        }
    }
    return ranks;
}

int gpu_of_device(std::string_view device) {
    constexpr std::string_view kPrefix = "cuda:";
    int index = -1;
    if (device.starts_with(kPrefix)) {
        std::from_chars(device.data() + kPrefix.size(), device.data() + device.size(), index);
    }
    return index;
}

}  // namespace rankscope::gui
