// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/pixel_table.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace rankscope::engine {
namespace {

/// n / d, rounded as a division would, from a product and two fused corrections (Markstein 1990): a vector
/// unit divides a tenth as often as it multiplies.
[[gnu::always_inline]] inline float quotient(float n, float d, float reciprocal) {
    const float estimate = n * reciprocal;
    return __builtin_fmaf(__builtin_fmaf(-estimate, d, n), reciprocal, estimate);
}

[[gnu::always_inline]] inline void divide_all(const std::uint8_t* in, std::size_t size, float* out) {
    constexpr float kReciprocal = 1.0F / 255.0F;
    for (std::size_t i = 0; i < size; ++i) {
        out[i] = quotient(static_cast<float>(in[i]), 255.0F, kReciprocal);
    }
}

[[gnu::always_inline]] inline void normalise_all(const std::uint8_t* in, std::size_t size, float mean,
                                                 float deviation, float* out) {
    constexpr float kReciprocal = 1.0F / 255.0F;
    const float reciprocal = 1.0F / deviation;
    for (std::size_t i = 0; i < size; ++i) {
        const float unit = quotient(static_cast<float>(in[i]), 255.0F, kReciprocal);
        out[i] = quotient(unit - mean, deviation, reciprocal);
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void divide_avx2(const std::uint8_t* in, std::size_t size, float* out) {
    divide_all(in, size, out);
}
[[gnu::target("avx2,fma")]] void normalise_avx2(const std::uint8_t* in, std::size_t size, float mean,
                                                float deviation, float* out) {
    normalise_all(in, size, mean, deviation, out);
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma,prefer-vector-width=512")]] void divide_avx512(
    const std::uint8_t* in, std::size_t size, float* out) {
    divide_all(in, size, out);
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,fma,prefer-vector-width=512")]] void normalise_avx512(
    const std::uint8_t* in, std::size_t size, float mean, float deviation, float* out) {
    normalise_all(in, size, mean, deviation, out);
}
#endif

/// Both null where a fused multiply-add is a call, not an instruction: the table is faster then.
struct Variant {
    void (*divide)(const std::uint8_t*, std::size_t, float*) = nullptr;
    void (*normalise)(const std::uint8_t*, std::size_t, float, float, float*) = nullptr;
};

Variant best_variant() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        return {divide_avx512, normalise_avx512};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return {divide_avx2, normalise_avx2};
    }
#endif
    return {};
}

const Variant& variant() {
    static const Variant chosen = best_variant();
    return chosen;
}

}  // namespace

PixelTable::PixelTable(int channels, const std::optional<config::NormalizeConfig>& normalize) {
    const auto of = [](const std::vector<double>& values, std::size_t c) {
        return static_cast<float>(values[values.size() == 1 ? 0 : c]);
    };
    std::vector<std::uint8_t> every(256);
    std::iota(every.begin(), every.end(), std::uint8_t{0});
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        Arithmetic fast;
        fast.shift = normalize.has_value();
        fast.mean = normalize ? of(normalize->mean, c) : 0.0F;
        fast.deviation = normalize ? of(normalize->std, c) : 1.0F;
        std::vector<float> table(every.size());
        for (std::size_t v = 0; v < table.size(); ++v) {
            table[v] = static_cast<float>(v) / 255.0F;
            if (normalize) {
                table[v] = (table[v] - fast.mean) / fast.deviation;
            }
        }
        if (variant().divide != nullptr) {
            std::vector<float> trial(every.size());
            if (fast.shift) {
                variant().normalise(every.data(), every.size(), fast.mean, fast.deviation, trial.data());
            } else {
                variant().divide(every.data(), every.size(), trial.data());
            }
            fast.exact = std::memcmp(trial.data(), table.data(), table.size() * sizeof(float)) == 0;
        }
        tables_.push_back(std::move(table));
        arithmetic_.push_back(fast);
    }
}

PixelTable::PixelTable(int channels, std::vector<float> table)
    : tables_(static_cast<std::size_t>(channels), std::move(table)),
      arithmetic_(static_cast<std::size_t>(channels)) {}

std::vector<float> PixelTable::values() const {
    std::vector<float> all;
    for (const std::vector<float>& table : tables_) {
        all.insert(all.end(), table.begin(), table.end());
    }
    return all;
}

void PixelTable::convert(const std::uint8_t* planes, std::size_t size, float* out) const {
    for (std::size_t c = 0; c < tables_.size(); ++c, planes += size, out += size) {
        const Arithmetic& fast = arithmetic_[c];
        if (!fast.exact) {
            const float* table = tables_[c].data();
            for (std::size_t i = 0; i < size; ++i) {
                out[i] = table[planes[i]];
            }
        } else if (fast.shift) {
            variant().normalise(planes, size, fast.mean, fast.deviation, out);
        } else {
            variant().divide(planes, size, out);
        }
    }
}

}  // namespace rankscope::engine
