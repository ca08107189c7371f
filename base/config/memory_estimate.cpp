// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/memory_estimate.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::config {
namespace {

struct Network {
    std::string_view name;
    double
        bytes_per_pixel;  ///< of activations in fp32: `rankscope-worker bench --plan` with 256 images of 224 x 224
    double parameters;  ///< without the last layer
    double features;    ///< that the last layer reads
};

constexpr std::array kNetworks{
    Network{"resnet18", 492, 11.177e6, 512}, Network{"resnet34", 692, 21.285e6, 512},
    Network{"resnet50", 1840, 23.508e6, 2048}, Network{"resnet101", 2656, 42.500e6, 2048},
    Network{"resnet152", 3664, 58.144e6, 2048}};
constexpr double kUsualClasses = 1000;
constexpr std::uint64_t kLibraries = std::uint64_t{600} << 20;

/// Of one parameter: the weight and its gradient in fp32, 16-bit copies of both, and what the optimizer keeps.
double parameter_bytes(const TrainConfig& config, bool half) {
    constexpr double kFloat = 4;
    const bool adam = config.optimizer.name != "sgd";
    const double kept = adam ? 2 : config.optimizer.momentum > 0 ? 1 : 0;
    return kFloat * (2 + kept) + (half ? kFloat : 0);
}

}  // namespace

std::optional<MemoryEstimate> memory_estimate(const TrainConfig& config) {
    const auto* network = std::find_if(kNetworks.begin(), kNetworks.end(),
                                       [&](const Network& one) { return one.name == config.model; });
    const SampleKind sample = sample_kind(config.dataset);
    if (network == kNetworks.end() || sample.shape.size() != 3) {
        return std::nullopt;
    }
    const bool half = config.precision == "bf16" || config.precision == "fp16";
    const double pixels = static_cast<double>(sample.shape[1]) * static_cast<double>(sample.shape[2]) *
                          static_cast<double>(config.batch_size);
    const double classes = config.classes   ? static_cast<double>(*config.classes)
                           : sample.classes ? static_cast<double>(*sample.classes)
                                            : kUsualClasses;
    MemoryEstimate estimate;
    estimate.activations = static_cast<std::uint64_t>(pixels * network->bytes_per_pixel * (half ? 0.5 : 1));
    estimate.parameters = static_cast<std::uint64_t>((network->parameters + network->features * classes) *
                                                     parameter_bytes(config, half));
    estimate.libraries = kLibraries;
    return estimate;
}

}  // namespace rankscope::config
