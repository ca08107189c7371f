// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>

#include <cstdint>
#include <cstring>

// Vectors wider than the baseline's registers stay inside the files that use this, where everything is
// inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

/// W neighbouring channels as one vector of the compiler's extension: the same source for every instruction
/// set. Not wider than the machine's: GCC 12 takes vectors of 64 bytes apart into single elements in
/// functions of another target; a file of that target includes this under its pragma.
namespace rankscope::engine::cpu {

template <int W>
struct Lanes {
    using Float [[gnu::vector_size(W * 4)]] = float;
    using Int [[gnu::vector_size(W * 4)]] = std::int32_t;
    using Word [[gnu::vector_size(W * 4)]] = std::uint32_t;
    using Half [[gnu::vector_size(W * 2)]] = std::uint16_t;
    using Byte [[gnu::vector_size(W)]] = std::int8_t;
};

// Through a vector type that may alias and need not be aligned, not memcpy: GCC 12 copies 32 bytes in two
// halves.
template <typename Vector, typename Element>
[[gnu::always_inline]] inline void load(Vector& vector, const Element* at) {
    using Loose [[gnu::may_alias, gnu::aligned(1)]] = Vector;
    vector = *reinterpret_cast<const Loose*>(at);
}
template <typename Vector, typename Element>
[[gnu::always_inline]] inline void store(const Vector& vector, Element* at) {
    using Loose [[gnu::may_alias, gnu::aligned(1)]] = Vector;
    *reinterpret_cast<Loose*>(at) = vector;
}

template <int W>
[[gnu::always_inline]] inline typename Lanes<W>::Float load_floats(const float* at) {
    typename Lanes<W>::Float values;
    load(values, at);
    return values;
}
template <int W>
[[gnu::always_inline]] inline typename Lanes<W>::Float load_floats(const Bf16* at) {
    typename Lanes<W>::Half halves;
    load(halves, at);
#if defined(RANKSCOPE_AVX512_BF16)  // a pragma defines no macro before GCC 13
    if constexpr (W == 16) {
        // The form with a mask: GCC 12 warns of the other's undefined register.
        const auto wide = _mm512_maskz_cvtepu16_epi32(0xffff, __builtin_bit_cast(__m256i, halves));
        return __builtin_bit_cast(typename Lanes<W>::Float, _mm512_maskz_slli_epi32(0xffff, wide, 16));
    }
#endif
    const typename Lanes<W>::Word words = __builtin_convertvector(halves, typename Lanes<W>::Word) << 16;
    typename Lanes<W>::Float values;
    std::memcpy(&values, &words, sizeof(values));
    return values;
}

template <int W>
[[gnu::always_inline]] inline void store_floats(const typename Lanes<W>::Float& values, float* at) {
    store(values, at);
}
template <int W>
[[gnu::always_inline]] inline void store_floats(const typename Lanes<W>::Float& values, Bf16* at) {
#if defined(RANKSCOPE_AVX512_BF16)
    if constexpr (W == 16) {
        store(_mm512_cvtneps_pbh(values), at);
        return;
    }
#endif
    typename Lanes<W>::Word words;
    std::memcpy(&words, &values, sizeof(words));
    const typename Lanes<W>::Word rounded = (words + 0x7fffU + ((words >> 16) & 1U)) >> 16;
    // Rounding could carry a NaN into infinity: its upper half is kept, with a bit set.
    const typename Lanes<W>::Int is_nan = values != values;
    const typename Lanes<W>::Word kept = is_nan ? ((words >> 16) | 0x40U) : rounded;
    const typename Lanes<W>::Half halves = __builtin_convertvector(kept, typename Lanes<W>::Half);
    store(halves, at);
}

}  // namespace rankscope::engine::cpu
