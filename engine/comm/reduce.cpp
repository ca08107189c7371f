// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

// Built with -ffp-contract=off: a fused multiply-add on one machine and none on the next would give the ranks
// different sums.

namespace rankscope::engine {
namespace {

/// Both 16-bit formats are handled with integer operations and selections, without branches, so that the
/// compiler turns the loops into vectors.
struct F32 {
    using Element = float;
    using Wide = float;
    static float widen(float value) { return value; }
    static float narrow(float value) { return value; }
};

struct F64 {
    using Element = double;
    using Wide = double;
    static double widen(double value) { return value; }
    static double narrow(double value) { return value; }
};

struct Bf16 {
    using Element = std::uint16_t;
    using Wide = float;
    static float widen(std::uint16_t value) { return std::bit_cast<float>(std::uint32_t{value} << 16U); }
    static std::uint16_t narrow(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
        const std::uint32_t quiet = (bits >> 16U) | 0x40U;
        const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
        return static_cast<std::uint16_t>(nan ? quiet : rounded);
    }
};

struct F16 {
    using Element = std::uint16_t;
    using Wide = float;
    static constexpr std::uint32_t kLeastNormal = 113U << 23U;  // 2⁻¹⁴ as a float's bits

    static float widen(std::uint16_t value) {
        const std::uint32_t magnitude = (std::uint32_t{value} & 0x7FFFU) << 13U;
        // Subnormal: its bits behind 2⁻¹⁴ are 2⁻¹⁴ + value; no subnormal float takes part.
        const float small =
            std::bit_cast<float>(magnitude + kLeastNormal) - std::bit_cast<float>(kLeastNormal);
        const std::uint32_t normal = magnitude + (112U << 23U);
        const std::uint32_t special = magnitude | 0x7F800000U;
        const std::uint32_t finite = magnitude < (1U << 23U) ? std::bit_cast<std::uint32_t>(small) : normal;
        const std::uint32_t bits = magnitude >= (0x7C00U << 13U) ? special : finite;
        return std::bit_cast<float>(bits | (std::uint32_t{value} & 0x8000U) << 16U);
    }
    static std::uint16_t narrow(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
        // Subnormal: added to a number whose last bit is worth 2⁻²⁴, the FPU itself rounds to nearest, even.
        constexpr std::uint32_t kAligner = 126U << 23U;  // 0.5: its last bit is worth 2⁻²⁴
        const std::uint32_t small =
            std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kAligner)) -
            kAligner;
        const std::uint32_t normal = (magnitude - (112U << 23U) + 0xFFFU + ((magnitude >> 13U) & 1U)) >> 13U;
        const std::uint32_t special = magnitude > 0x7F800000U ? 0x7E00U : 0x7C00U;
        const std::uint32_t finite = magnitude < kLeastNormal ? small : normal;
        const std::uint32_t half = magnitude >= (143U << 23U) ? special : finite;
        return static_cast<std::uint16_t>(half | (bits >> 16U & 0x8000U));
    }
};

template <typename Element>
const Element* source_at(const void* memory) {
    return static_cast<const Element*>(memory);
}

/// Two sources that are the targets as well: two ranks in place, the most frequent case, in one pass.
template <typename Format>
[[gnu::always_inline]] inline void reduce_pair(typename Format::Wide scale, typename Format::Element* a,
                                               typename Format::Element* b, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        const auto sum = Format::narrow(Format::widen(a[i]) * scale + Format::widen(b[i]) * scale);
        a[i] = sum;
        b[i] = sum;
    }
}

/// Block by block through the first-level cache.
template <typename Format>
[[gnu::always_inline]] inline void reduce_many(float scale, std::span<const void* const> sources,
                                               std::span<void* const> targets, std::size_t count) {
    using Element = typename Format::Element;
    using Wide = typename Format::Wide;
    constexpr std::size_t kBlock = 1024;
    std::array<Wide, kBlock> sum;
    std::array<Element, kBlock> result;
    const Wide factor = scale;
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
        const std::size_t length = std::min(kBlock, count - begin);
        const Element* first = source_at<Element>(sources[0]) + begin;
        for (std::size_t i = 0; i < length; ++i) {
            sum[i] = Format::widen(first[i]) * factor;
        }
        for (std::size_t k = 1; k < sources.size(); ++k) {
            const Element* next = source_at<Element>(sources[k]) + begin;
            for (std::size_t i = 0; i < length; ++i) {
                sum[i] += Format::widen(next[i]) * factor;
            }
        }
        for (std::size_t i = 0; i < length; ++i) {
            result[i] = Format::narrow(sum[i]);
        }
        for (void* target : targets) {
            std::memcpy(static_cast<Element*>(target) + begin, result.data(), length * sizeof(Element));
        }
    }
}

template <typename Format>
[[gnu::always_inline]] inline void reduce_as(float scale, std::span<const void* const> sources,
                                             std::span<void* const> targets, std::size_t count) {
    using Element = typename Format::Element;
    if (sources.size() == 2 && targets.size() == 2 && sources[0] == targets[0] && sources[1] == targets[1]) {
        reduce_pair<Format>(scale, static_cast<Element*>(targets[0]), static_cast<Element*>(targets[1]),
                            count);
    } else {
        reduce_many<Format>(scale, sources, targets, count);
    }
}

template <typename Format>
[[gnu::always_inline]] inline void encode_as(float scale, std::span<const float> values, std::uint16_t* out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        out[i] = Format::narrow(values[i] * scale);
    }
}

template <typename Format>
[[gnu::always_inline]] inline void decode_as(const std::uint16_t* in, std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = Format::widen(in[i]);
    }
}

[[gnu::always_inline]] inline void reduce_any(ElementType type, float scale,
                                              std::span<const void* const> sources,
                                              std::span<void* const> targets, std::size_t count) {
    switch (type) {
        case ElementType::f32:
            return reduce_as<F32>(scale, sources, targets, count);
        case ElementType::bf16:
            return reduce_as<Bf16>(scale, sources, targets, count);
        case ElementType::f16:
            return reduce_as<F16>(scale, sources, targets, count);
        case ElementType::f64:
            return reduce_as<F64>(scale, sources, targets, count);
    }
}

[[gnu::always_inline]] inline void encode_any(ElementType type, float scale, std::span<const float> values,
                                              std::uint16_t* out) {
    type == ElementType::bf16 ? encode_as<Bf16>(scale, values, out) : encode_as<F16>(scale, values, out);
}

[[gnu::always_inline]] inline void decode_any(ElementType type, const std::uint16_t* in,
                                              std::span<float> values) {
    type == ElementType::bf16 ? decode_as<Bf16>(in, values) : decode_as<F16>(in, values);
}

// One copy per instruction set; which one runs is decided where the program runs. All give the same bits.
struct Variant {
    void (*reduce)(ElementType, float, std::span<const void* const>, std::span<void* const>, std::size_t);
    void (*encode)(ElementType, float, std::span<const float>, std::uint16_t*);
    void (*decode)(ElementType, const std::uint16_t*, std::span<float>);
};

void reduce_portable(ElementType type, float scale, std::span<const void* const> sources,
                     std::span<void* const> targets, std::size_t count) {
    reduce_any(type, scale, sources, targets, count);
}
void encode_portable(ElementType type, float scale, std::span<const float> values, std::uint16_t* out) {
    encode_any(type, scale, values, out);
}
void decode_portable(ElementType type, const std::uint16_t* in, std::span<float> values) {
    decode_any(type, in, values);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void reduce_avx2(ElementType type, float scale, std::span<const void* const> sources,
                                         std::span<void* const> targets, std::size_t count) {
    reduce_any(type, scale, sources, targets, count);
}
[[gnu::target("avx2")]] void encode_avx2(ElementType type, float scale, std::span<const float> values,
                                         std::uint16_t* out) {
    encode_any(type, scale, values, out);
}
[[gnu::target("avx2")]] void decode_avx2(ElementType type, const std::uint16_t* in, std::span<float> values) {
    decode_any(type, in, values);
}
#endif

const Variant& variant() {
    static const Variant chosen = [] {
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            return Variant{reduce_avx2, encode_avx2, decode_avx2};
        }
#endif
        return Variant{reduce_portable, encode_portable, decode_portable};
    }();
    return chosen;
}

void demand_half(ElementType type) {
    if (type != ElementType::bf16 && type != ElementType::f16) {
        throw std::logic_error(std::string("not a 16-bit format: ") + name_of(type));
    }
}

}  // namespace

void reduce(ElementType type, float scale, std::span<const void* const> sources,
            std::span<void* const> targets, std::size_t count) {
    variant().reduce(type, scale, sources, targets, count);
}

void encode(ElementType type, float scale, std::span<const float> values, std::uint16_t* out) {
    demand_half(type);
    variant().encode(type, scale, values, out);
}

void decode(ElementType type, const std::uint16_t* in, std::span<float> values) {
    demand_half(type);
    variant().decode(type, in, values);
}

}  // namespace rankscope::engine
