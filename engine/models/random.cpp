// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/random.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace rankscope::engine {

void TorchGenerator::uniform(std::span<float> values, double low, double high) {
    constexpr std::uint32_t kMask = (1U << 24U) - 1U;
    constexpr float kScale = 1.0F / 16777216.0F;
    const auto from = static_cast<float>(low);
    const float width = static_cast<float>(high) - from;
    for (float& value : values) {
        const float unit = static_cast<float>(random32() & kMask) * kScale;
        // PyTorch's kernels are compiled with contraction; without the fused form the last bit differs.
        value = std::fma(unit, width, from);
    }
}

void TorchGenerator::normal(std::span<float> values, double mean, double deviation) {
    constexpr std::size_t kBlock = 16;
    constexpr std::size_t kHalf = kBlock / 2;
    if (values.size() < kBlock) {
        throw std::logic_error("normal_ of fewer than 16 elements");
    }
    const auto centre = static_cast<float>(mean);
    const auto width = static_cast<float>(deviation);
    const auto transform = [&](std::span<float> block) {
        for (std::size_t i = 0; i < kHalf; ++i) {
            const float radius = std::sqrt(-2.0F * std::log(1.0F - block[i]));
            const float angle = 2.0F * std::numbers::pi_v<float> * block[i + kHalf];
            block[i] = std::fma(radius * std::cos(angle), width, centre);
            block[i + kHalf] = std::fma(radius * std::sin(angle), width, centre);
        }
    };
    uniform(values, 0.0, 1.0);
    std::size_t at = 0;
    for (; at + kBlock <= values.size(); at += kBlock) {
        transform(values.subspan(at, kBlock));
    }
    if (at < values.size()) {
        const std::span<float> last = values.last(kBlock);
        uniform(last, 0.0, 1.0);
        transform(last);
    }
}

std::vector<std::int64_t> random_permutation(std::int64_t n, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    TorchGenerator generator(seed);
    const bool small = n < std::numeric_limits<std::uint32_t>::max() / 20;
    for (std::int64_t i = 0; i + 1 < n; ++i) {
        const auto left = static_cast<std::uint64_t>(n - i);
        const std::uint64_t draw = small ? generator.random32() : generator.random64();
        std::swap(order[static_cast<std::size_t>(i)],
                  order[static_cast<std::size_t>(i) + static_cast<std::size_t>(draw % left)]);
    }
    return order;
}

}  // namespace rankscope::engine
