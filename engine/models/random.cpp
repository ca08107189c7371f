// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/random.h>

#include <cmath>
#include <limits>
#include <numeric>
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
