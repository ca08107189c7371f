// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/bf16.h>
#include <engine/backend/cpu/dropout.h>
#include <engine/backend/cpu/vector_math.h>

#include <algorithm>

namespace rankscope::engine::cpu {
namespace {

/// Calls body(sample's key, its part of x, its part of y) for each sample.
template <typename T, typename Body>
void each_sample(std::span<const std::uint64_t> keys, std::span<const T> x, std::span<T> y,
                 const Body& body) {
    if (keys.empty()) {
        std::copy(x.begin(), x.end(), y.begin());
        return;
    }
    const std::size_t size = x.size() / keys.size();
#pragma omp parallel for
    for (std::size_t sample = 0; sample < keys.size(); ++sample) {
        body(keys[sample], x.subspan(sample * size, size), y.subspan(sample * size, size));
    }
}

/// Eight counters at once. Loops that are unrolled too early do not become vectors.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 4 * kLanes;

template <typename T>
[[gnu::always_inline]] inline void drop_block(const DropoutFormula& formula, std::uint64_t key,
                                              std::uint64_t quad, T* values) {
    std::uint32_t words[4][kLanes];
#pragma GCC unroll 1
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t counter = quad + lane;
        words[0][lane] = static_cast<std::uint32_t>(counter);
        words[1][lane] = static_cast<std::uint32_t>(counter >> 32U);
        words[2][lane] = formula.number;
        words[3][lane] = 0;
    }
    auto low = static_cast<std::uint32_t>(key);
    auto high = static_cast<std::uint32_t>(key >> 32U);
    for (int round = 0; round < Philox::kRounds; ++round) {
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            Philox::step(words[0][lane], words[1][lane], words[2][lane], words[3][lane], low, high);
        }
        Philox::next_key(low, high);
    }
    const std::uint32_t threshold = formula.threshold;
    const float scale = formula.scale;
    float factors[4][kLanes];
    for (std::size_t word = 0; word < 4; ++word) {
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            factors[word][lane] = words[word][lane] < threshold ? 0.0F : scale;
        }
    }
#pragma GCC unroll 1
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t word = 0; word < 4; ++word) {
            T& value = values[4 * lane + word];
            value = rounded_to<T>(to_float(value) * factors[word][lane]);
        }
    }
}

/// Elements that share a counter, and perhaps only some of them; returns how many.
template <typename T>
std::size_t drop_quad(const DropoutFormula& formula, std::uint64_t key, std::uint64_t first,
                      std::span<T> values) {
    const Philox words = formula.words_of(key, first / 4);
    const std::size_t count = std::min<std::size_t>(values.size(), 4 - first % 4);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = rounded_to<T>(to_float(values[i]) * formula.factor(words, first + i));
    }
    return count;
}

}  // namespace

template <typename T>
void drop_in_place(const DropoutFormula& formula, std::uint64_t key, std::uint64_t first,
                   std::span<T> values) {
    std::size_t i = first % 4 == 0 ? 0 : drop_quad(formula, key, first, values);
    run_widest([&]() __attribute__((always_inline)) {
        for (; i + kBlock <= values.size(); i += kBlock) {
            drop_block(formula, key, (first + i) / 4, values.data() + i);
        }
    });
    while (i < values.size()) {
        i += drop_quad(formula, key, first + i, values.subspan(i));
    }
}

template <typename T>
void drop_elements(const DropoutFormula& formula, std::span<const std::uint64_t> keys, std::span<const T> x,
                   std::span<T> y) {
    each_sample(keys, x, y, [&](std::uint64_t key, std::span<const T> from, std::span<T> to) {
        std::copy(from.begin(), from.end(), to.begin());
        drop_in_place(formula, key, 0, to);
    });
}

template <typename T>
void drop_samples(const DropoutFormula& formula, std::span<const std::uint64_t> keys, std::span<const T> x,
                  std::span<T> y) {
    each_sample(keys, x, y, [&](std::uint64_t key, std::span<const T> from, std::span<T> to) {
        const float factor = formula.factor(key, 0);
        std::transform(from.begin(), from.end(), to.begin(),
                       [&](T value) { return rounded_to<T>(to_float(value) * factor); });
    });
}

#define RANKSCOPE_INSTANTIATE(T)                                                                             \
    template void drop_in_place<T>(const DropoutFormula&, std::uint64_t, std::uint64_t, std::span<T>);       \
    template void drop_elements<T>(const DropoutFormula&, std::span<const std::uint64_t>,                    \
                                   std::span<const T>, std::span<T>);                                        \
    template void drop_samples<T>(const DropoutFormula&, std::span<const std::uint64_t>, std::span<const T>, \
                                  std::span<T>);
RANKSCOPE_INSTANTIATE(float)
RANKSCOPE_INSTANTIATE(Bf16)
#undef RANKSCOPE_INSTANTIATE

}  // namespace rankscope::engine::cpu
