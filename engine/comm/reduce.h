// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/tensor/element_type.h>

#include <cstddef>
#include <cstdint>
#include <span>

/// The arithmetic of collectives.
namespace rankscope::engine {

/// Every target gets, element by element, scale·source[0] + scale·source[1] + …, added in this order (so the
/// result is the same bits whichever rank computes it): in f32 for f32, bf16 and f16, in f64 for f64, rounded once
/// to the element's type. A target may be a source; otherwise they must not overlap. `count` elements each.
void reduce(ElementType type, float scale, std::span<const void* const> sources,
            std::span<void* const> targets, std::size_t count);

/// values · scale, rounded to the nearest bf16 or f16 (ties to even; f16 overflows to infinity).
void encode(ElementType type, float scale, std::span<const float> values, std::uint16_t* out);
/// The exact values of bf16 or f16 elements.
void decode(ElementType type, const std::uint16_t* in, std::span<float> values);

}  // namespace rankscope::engine
