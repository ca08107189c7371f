// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/gpu_samples.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/runs/run/run_state.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A rank of the live run on one of a node's devices.
struct RankOnDevice {
    int rank = 0;
    int local_rank = 0;
    int gpu = -1;  ///< index of the GPU; -1: a CPU slot
    RankPhase phase = RankPhase::Waiting;
    bool operator==(const RankOnDevice&) const = default;
};

/// What the live run knows of a node.
struct RunOnNode {
    std::optional<NodeLink> link;
    std::vector<RankOnDevice> ranks;
    std::map<std::string, double> sample;  ///< the last one: remote/wire/sample_keys.h
    std::int64_t sample_us = 0;
};
std::map<std::string, RunOnNode> run_on_nodes(const RunState& state);

/// One GPU or CPU slot of a node: a square of the Fleet.
struct DeviceSlot {
    enum class State {
        Unknown,  ///< no figure of it
        Free,
        Used,     ///< by a program that is not a rank of the live run
        Rank,     ///< by a rank of the live run
        Faulty,   ///< uncorrected memory errors, or slowed down by heat or power
        LeftOut,  ///< the inventory does not offer it to ranks
    };
    static constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

    State state = State::Unknown;
    int index = 0;
    bool gpu = false;
    std::string name;  ///< of the GPU's type
    std::optional<RankOnDevice> rank;
    double use = kAbsent;          ///< 0…1
    double memory_used = kAbsent;  ///< bytes
    double memory_total = kAbsent;
    double temperature = kAbsent;  ///< °C
    double power = kAbsent;        ///< W
    double ecc = kAbsent;          ///< uncorrected memory errors since the driver was loaded
    ClockLimit limit = ClockLimit::Unknown;
};

/// The squares of a node: its GPUs, or its CPU slots where it has none. `sample`: its newest figures, of the live run or of
/// the probe. A node without facts has the squares that its inventory entry or the run names.
std::vector<DeviceSlot> device_slots(const NodeSpec& spec, const NodeFacts* facts,
                                     const std::vector<RankOnDevice>& ranks,
                                     const std::map<std::string, double>& sample);

}  // namespace rankscope::gui
