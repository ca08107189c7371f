// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/box_muller.h>
#include <engine/models/random.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace rankscope::engine {
namespace {

[[gnu::always_inline]] inline void fused(std::span<float> values, float factor, float offset) {
    for (float& value : values) {
        value = std::fma(value, factor, offset);
    }
}
void fused_portable(std::span<float> values, float factor, float offset) {
    fused(values, factor, offset);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void fused_avx2(std::span<float> values, float factor, float offset) {
    fused(values, factor, offset);
}
#endif

/// value · factor + offset with a single rounding, without a call per element where the CPU can.
void scale_and_shift(std::span<float> values, float factor, float offset) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
        fused_avx2(values, factor, offset);
        return;
    }
#endif
    fused_portable(values, factor, offset);
}

}  // namespace

void TorchGenerator::uniform(std::span<float> values, double low, double high) {
    constexpr std::uint32_t kMask = (1U << 24U) - 1U;
    constexpr float kScale = 1.0F / 16777216.0F;
    const auto from = static_cast<float>(low);
    const float width = static_cast<float>(high) - from;
    for (float& value : values) {
        value = static_cast<float>(random32() & kMask) * kScale;
    }
    // PyTorch's kernels are compiled with contraction; without the fused form the last bit differs.
    scale_and_shift(values, width, from);
}

void TorchGenerator::normal(std::span<float> values, double mean, double deviation) {
    constexpr std::size_t kBlock = 16;
    if (values.size() < kBlock) {
        throw std::logic_error("normal_ of fewer than 16 elements");
    }
    const auto centre = static_cast<float>(mean);
    const auto width = static_cast<float>(deviation);
    uniform(values, 0.0, 1.0);
    const std::size_t whole = values.size() / kBlock * kBlock;
    box_muller(values.first(whole), centre, width);
    if (whole < values.size()) {
        // The last 16 once more, as PyTorch does.
        const std::span<float> last = values.last(kBlock);
        uniform(last, 0.0, 1.0);
        box_muller(last, centre, width);
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
