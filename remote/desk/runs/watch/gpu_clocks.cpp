// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/gpu_clocks.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Straggler";
constexpr double kBusy = 0.3;
constexpr double kSlow = 0.85;  // of the usual clock
constexpr std::int64_t kOldUs = 30'000'000;
constexpr std::int64_t kLongUs = 15'000'000;  // until it is named
constexpr int kLeastSamples = 4;
// Bits of nvmlClocksThrottleReasons. An idle GPU, and one whose clock was set by its owner, are not among them.
constexpr std::uint64_t kPowerCap = 0x4;
constexpr std::uint64_t kHardware = 0x8;
constexpr std::uint64_t kHeat = 0x20 | 0x40;
constexpr std::uint64_t kPowerBrake = 0x80;

// "gpu.3.sm_clock": 3 and "sm_clock".
std::optional<std::pair<int, std::string_view>> gpu_key(std::string_view key) {
    constexpr std::string_view kBegin = "gpu.";
    if (!key.starts_with(kBegin)) {
        return std::nullopt;
    }
    key.remove_prefix(kBegin.size());
    int index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    const auto digits = static_cast<std::size_t>(end - key.data());
    if (error != std::errc() || index < 0 || digits >= key.size() || key[digits] != '.') {
        return std::nullopt;
    }
    return std::pair{index, key.substr(digits + 1)};
}

std::string why_of(std::uint64_t throttle) {
    return (throttle & kHeat) != 0         ? text(kContext, "it is too hot")
           : (throttle & kPowerBrake) != 0 ? text(kContext, "its power supply slows it down")
           : (throttle & kHardware) != 0   ? text(kContext, "its board slows it down")
                                           : text(kContext, "it reaches its power limit");
}

}  // namespace

std::vector<Verdict> GpuClocks::observe(const Event& event, const SampleEvent& sample,
                                        const std::vector<int>& ranks) {
    std::vector<Key> seen;
    for (const auto& [name, value] : sample.values) {
        const auto key = gpu_key(name);
        if (!key || !std::isfinite(value)) {
            continue;
        }
        const Key place{event.node, key->first};
        auto& gpu = gpus_[place];
        gpu.t_us = event.t_us;
        if (key->second == "sm_clock") {
            gpu.clock_hz = value;
            seen.push_back(place);
        } else if (key->second == "util") {
            gpu.busy = value;
        } else if (key->second == "throttle") {
            gpu.throttle = value >= 0 && value < 1e15 ? static_cast<std::uint64_t>(value) : 0;
        } else if (key->second == "pcie_width") {
            gpu.pcie_width = value;
        }
    }
    std::vector<Verdict> verdicts;
    for (const auto& key : seen) {
        judge(key, gpus_.at(key), ranks, verdicts);
    }
    return verdicts;
}

double GpuClocks::usual_clock(const Key& but, std::int64_t now_us) const {
    std::vector<double> clocks;
    for (const auto& [key, gpu] : gpus_) {
        if (key != but && gpu.busy >= kBusy && gpu.clock_hz > 0 && now_us - gpu.t_us < kOldUs) {
            clocks.push_back(gpu.clock_hz);
        }
    }
    return median_of_others(clocks, clocks.size());
}

void GpuClocks::judge(const Key& key, Gpu& gpu, const std::vector<int>& ranks,
                      std::vector<Verdict>& verdicts) {
    const double usual = usual_clock(key, gpu.t_us);
    const bool limited = (gpu.throttle & (kPowerCap | kHardware | kHeat | kPowerBrake)) != 0;
    if (gpu.busy < kBusy || usual <= 0 || !limited || gpu.clock_hz >= kSlow * usual) {
        gpu.slow_since_us = 0;
        gpu.slow_samples = 0;
        if (!gpu.live.id.empty() && ++gpu.usual_samples >= kLeastSamples) {
            gpu.live.phase = VerdictPhase::Over;
            verdicts.push_back(std::exchange(gpu.live, {}));
        }
        return;
    }
    gpu.usual_samples = 0;
    gpu.slow_since_us = gpu.slow_since_us == 0 ? gpu.t_us : gpu.slow_since_us;
    ++gpu.slow_samples;
    if (!gpu.live.id.empty() || gpu.slow_samples < kLeastSamples || gpu.t_us - gpu.slow_since_us < kLongUs) {
        return;
    }
    const auto& [node, index] = key;
    auto& verdict = gpu.live;
    verdict.id = "rank-slow";
    verdict.phase = VerdictPhase::Live;
    verdict.reason = to_string(SlowReason::GpuThrottled);
    verdict.node = node;
    verdict.nodes = {node};
    // A process takes the GPU of its local number, unless its program chooses another.
    if (static_cast<std::size_t>(index) < ranks.size()) {
        verdict.rank = ranks[static_cast<std::size_t>(index)];
        verdict.ranks = {verdict.rank};
    }
    verdict.confidence = 0.8;
    verdict.since_us = gpu.slow_since_us;
    verdict.title = text(kContext, "GPU %1 of %2 runs slower than the others: %3.",
                         {std::to_string(index), node, why_of(gpu.throttle)});
    verdict.evidence = {{.text = text(kContext, "its clock is at %1 MHz, those of the others at %2 MHz",
                                      {short_number(gpu.clock_hz * 1e-6), short_number(usual * 1e-6)})},
                        {.text = "clocks_throttle_reasons.active " + std::to_string(gpu.throttle)}};
    verdict.fix = {text(
        kContext,
        "On %1: check cooling, power limit and power supply: nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE",
        {node})};
    verdicts.push_back(verdict);
}

std::vector<Verdict> GpuClocks::end_all() {
    std::vector<Verdict> verdicts;
    for (auto& [key, gpu] : gpus_) {
        if (!gpu.live.id.empty()) {
            gpu.live.phase = VerdictPhase::Over;
            verdicts.push_back(std::exchange(gpu.live, {}));
        }
    }
    return verdicts;
}

double GpuClocks::pcie_width(const std::string& node, int index) const {
    const auto gpu = gpus_.find({node, index});
    return gpu == gpus_.end() ? 0 : gpu->second.pcie_width;
}

}  // namespace rankscope::inline runs
