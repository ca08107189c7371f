// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/batch_norm.h>
#include <engine/backend/cpu/bf16.h>

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>

#define RANKSCOPE_AVX512 "avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma"
// GCC 12 takes vectors of 64 bytes apart where an inlined function has another target: the header gets the same one.
#if !defined(__clang__)
#define RANKSCOPE_AVX512_BF16
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma")
#endif
#include <engine/backend/cpu/batch_norm_rows.h>

namespace rankscope::engine::cpu::batch_norm_rows {
namespace {

RANKSCOPE_BATCH_NORM_VARIANT(Avx512, [[gnu::target(RANKSCOPE_AVX512)]], 16, 1)

}  // namespace

template <>
Variant<float> avx512_variant() {
    return Avx512<float>::table();
}
template <>
Variant<Bf16> avx512_variant() {
    return Avx512<Bf16>::table();
}

}  // namespace rankscope::engine::cpu::batch_norm_rows
#if !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
