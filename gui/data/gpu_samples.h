// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// What a node may report of a GPU; units as in remote/wire/sample_keys.h.
enum class GpuFigure {
    Use,
    MemoryUsed,
    MemoryTotal,
    Temperature,
    Power,
    PowerLimit,
    SmClock,
    SmClockMax,
    MemoryClock,
    Throttle,
    Ecc,
    EccCorrected,
    NvlinkOut,
    NvlinkIn,
    NvlinkErrors,
    PcieOut,
    PcieIn,
    PcieReplays,
    PcieGeneration,
    PcieWidth
};
inline constexpr std::size_t kGpuFigures = std::size_t(GpuFigure::PcieWidth) + 1;

/// The newest samples of one GPU.
struct GpuSample {
    static constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

    int index = 0;
    std::array<double, kGpuFigures> values = none();  ///< NaN: not reported, or not any more
    std::array<std::int64_t, kGpuFigures> seen_us{};  ///< when each was last reported; 0: never
    std::vector<int> ranks;                           ///< whose processes hold memory on it

    double operator[](GpuFigure figure) const { return values[std::size_t(figure)]; }
    bool has(GpuFigure figure) const { return std::isfinite((*this)[figure]); }
    std::int64_t last_reported_us(GpuFigure figure) const { return seen_us[std::size_t(figure)]; }

private:
    static constexpr std::array<double, kGpuFigures> none() {
        std::array<double, kGpuFigures> values{};
        for (double& value : values) {
            value = kAbsent;
        }
        return values;
    }
};

/// The GPUs of a node, by index. A figure that is missing in the node's samples for longer than `grace_us` counts as not
/// reported: the GPU may have fallen off its bus while the node continues to sample.
std::vector<GpuSample> gpu_samples(const NodeSamples& node, std::int64_t grace_us);

/// What holds a GPU's clock down, as its driver says.
enum class ClockLimit { Unknown, None, Idle, Setting, SyncBoost, PowerLimit, Board, PowerSupply, Heat };
/// The most serious of the bits of nvmlClocksEventReasons; NaN: Unknown.
ClockLimit clock_limit(double throttle);
/// Heat, the power supply or the board slow the GPU down: something to repair.
bool is_slowed_down(ClockLimit limit);
/// Uncorrected memory errors, or slowed down.
bool is_faulty(const GpuSample& gpu);

/// Where each rank of a run computes: node and index of the GPU, by the plan. The samples know better, where a program has
/// chosen another GPU.
using GpuPlace = std::pair<std::string, int>;
std::map<GpuPlace, std::vector<int>> planned_ranks(const RunState& run);

/// "cuda:3" → 3; -1: not a GPU.
int gpu_of_device(std::string_view device);

}  // namespace rankscope::gui
