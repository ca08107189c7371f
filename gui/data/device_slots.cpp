// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/device_slots.h>
#include <gui/data/gpu_samples.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

/// Above these a GPU is in use: an idle one shows neither.
constexpr double kUsedShare = 0.02;
constexpr double kUsedMemoryShare = 0.05;
constexpr int kMostSlots = 1024;
constexpr std::int64_t kGraceUs = 10'000'000;

double figure(const std::map<std::string, double>& sample, int gpu, const char* what) {
    const auto it = sample.find(sample_key::gpu(gpu, what));
    return it == sample.end() ? DeviceSlot::kAbsent : it->second;
}

DeviceSlot::State state_of(const DeviceSlot& slot) {
    if (slot.ecc > 0 || is_slowed_down(slot.limit)) {
        return DeviceSlot::State::Faulty;
    }
    if (slot.rank) {
        return DeviceSlot::State::Rank;
    }
    if (slot.use > kUsedShare || slot.memory_used > kUsedMemoryShare * slot.memory_total) {
        return DeviceSlot::State::Used;
    }
    return slot.use >= 0 || slot.memory_used >= 0 ? DeviceSlot::State::Free : DeviceSlot::State::Unknown;
}

DeviceSlot gpu_slot(const GpuFacts& gpu, const std::map<std::string, double>& sample) {
    DeviceSlot slot;
    slot.index = gpu.index;
    slot.gpu = true;
    slot.name = gpu.name;
    slot.use = figure(sample, gpu.index, "util");
    slot.memory_used = figure(sample, gpu.index, "mem_used");
    slot.memory_total = figure(sample, gpu.index, "mem_total");
    slot.temperature = figure(sample, gpu.index, "temp");
    slot.power = figure(sample, gpu.index, "power");
    slot.ecc = figure(sample, gpu.index, "ecc");
    slot.limit = clock_limit(figure(sample, gpu.index, "throttle"));
    return slot;
}

std::vector<DeviceSlot> gpu_slots(const NodeSpec& spec, const std::vector<GpuFacts>& gpus,
                                  const std::vector<RankOnDevice>& ranks,
                                  const std::map<std::string, double>& sample) {
    std::vector<DeviceSlot> devices;
    for (const GpuFacts& gpu : gpus) {
        DeviceSlot slot = gpu_slot(gpu, sample);
        const auto rank = std::find_if(ranks.begin(), ranks.end(),
                                       [&](const RankOnDevice& each) { return each.gpu == gpu.index; });
        if (rank != ranks.end()) {
            slot.rank = *rank;
        }
        const bool offered =
            spec.gpus_auto || std::find(spec.gpus.begin(), spec.gpus.end(), gpu.index) != spec.gpus.end();
        slot.state = offered || slot.rank ? state_of(slot) : DeviceSlot::State::LeftOut;
        devices.push_back(std::move(slot));
    }
    return devices;
}

}  // namespace

std::map<std::string, RunOnNode> run_on_nodes(const RunState& state) {
    std::map<std::string, RunOnNode> nodes;
    for (const auto& [name, link] : state.links) {
        nodes[name].link = link;
    }
    for (const RankState& rank : state.ranks) {
        const bool over = rank.phase == RankPhase::Done || rank.phase == RankPhase::Failed ||
                          rank.phase == RankPhase::EndedWithRun;
        if (!over) {
            nodes[rank.node].ranks.push_back(
                {rank.rank, rank.local_rank, gpu_of_device(rank.device), rank.phase});
        }
    }
    for (const auto& [name, samples] : state.samples) {
        RunOnNode& node = nodes[name];
        node.sample_us = samples.last_us;
        for (const auto& [key, value] : samples.values) {
            // What the node's newer samples lack is not known any more.
            if (samples.last_us - value.last_us <= kGraceUs) {
                node.sample[key] = value.last;
            }
        }
    }
    return nodes;
}

std::vector<DeviceSlot> device_slots(const NodeSpec& spec, const NodeFacts* facts,
                                     const std::vector<RankOnDevice>& ranks,
                                     const std::map<std::string, double>& sample) {
    std::vector<GpuFacts> gpus = facts ? facts->gpus : std::vector<GpuFacts>{};
    const auto add = [&gpus](int index) {
        if (index >= 0 &&
            std::none_of(gpus.begin(), gpus.end(), [&](const GpuFacts& gpu) { return gpu.index == index; })) {
            gpus.push_back({index, {}, 0});
        }
    };
    if (!facts && !spec.gpus_auto) {
        std::for_each(spec.gpus.begin(), spec.gpus.end(), add);
    }
    for (const RankOnDevice& rank : ranks) {
        add(rank.gpu);
    }
    if (!gpus.empty()) {
        return gpu_slots(spec, gpus, ranks, sample);
    }
    int count = std::max(spec.cpu_slots, facts || spec.cpu_slots > 0 ? 1 : 0);
    for (const RankOnDevice& rank : ranks) {
        count = std::max(count, rank.local_rank + 1);
    }
    std::vector<DeviceSlot> devices(std::size_t(std::clamp(count, 0, kMostSlots)));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i].index = int(i);
        devices[i].state = facts ? DeviceSlot::State::Free : DeviceSlot::State::Unknown;
    }
    for (const RankOnDevice& rank : ranks) {
        if (rank.local_rank >= 0 && rank.local_rank < int(devices.size())) {
            devices[std::size_t(rank.local_rank)].rank = rank;
            devices[std::size_t(rank.local_rank)].state = DeviceSlot::State::Rank;
        }
    }
    return devices;
}

}  // namespace rankscope::gui
