// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/parameter_comparison.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>

namespace rankscope::engine {
namespace {

/// No secret and no adversary: fast, and different for numbers that differ in a bit or in their place.
std::uint64_t fingerprint(std::span<const float> values) {
    constexpr std::size_t kLanes = 8;  // independent sums, which the compiler turns into vectors
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
    std::array<std::uint64_t, kLanes> lanes{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t& lane = lanes[i % kLanes];
        lane = (lane ^ std::bit_cast<std::uint32_t>(values[i])) * kOdd;
        lane ^= lane >> 32U;
    }
    std::uint64_t all = values.size();
    for (const std::uint64_t lane : lanes) {
        all = (all ^ lane) * kOdd;
        all ^= all >> 32U;
    }
    return all;
}

std::vector<int> odd_ranks(const std::vector<std::string>& texts) {
    std::map<std::string, std::size_t> votes;
    for (const std::string& text : texts) {
        ++votes[text];
    }
    std::string usual = texts.front();
    for (const auto& [text, count] : votes) {
        if (count * 2 > texts.size()) {
            usual = text;
        }
    }
    std::vector<int> odd;
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        if (texts[rank] != usual) {
            odd.push_back(static_cast<int>(rank));
        }
    }
    return odd;
}

}  // namespace

std::optional<ParameterDifference> compare_parameters(CompiledModel& model, const Graph& graph,
                                                      ProcessGroup* group) {
    if (group == nullptr) {
        return std::nullopt;
    }
    std::vector<ParameterId> own;
    for (const ParameterId id : graph.parameters.indices()) {
        if (model.has(id)) {
            own.push_back(id);
        }
    }
    std::string mine;
    std::vector<float> values;
    for (const ParameterId id : own) {
        values.resize(static_cast<std::size_t>(element_count(graph.parameters[id].shape)));
        model.read_weight(id, values);
        const std::uint64_t print = fingerprint(values);
        std::array<char, sizeof(print)> bytes{};
        std::memcpy(bytes.data(), &print, sizeof(print));
        mine.append(bytes.data(), bytes.size());
    }
    const std::vector<std::string> all = group->all_gather(mine);
    ParameterDifference difference{.ranks = odd_ranks(all), .parameter = {}};
    if (difference.ranks.empty()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto part = [&](const std::string& text) {
            return text.substr(i * sizeof(std::uint64_t), sizeof(std::uint64_t));
        };
        if (std::any_of(all.begin(), all.end(),
                        [&](const auto& text) { return part(text) != part(all[0]); })) {
            difference.parameter = graph.parameters[own[i]].name;
            break;
        }
    }
    return difference;
}

}  // namespace rankscope::engine
