// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/dropout_formula.h>

#include <cstdint>
#include <span>

namespace rankscope::engine::cpu {

/// Multiplies the elements of a sample from `first` on. T is float or Bf16.
template <typename T>
void drop_in_place(const DropoutFormula& formula, std::uint64_t key, std::uint64_t first,
                   std::span<T> values);

/// y = x times what the keys, one per sample, decide; without keys y = x.
template <typename T>
void drop_elements(const DropoutFormula& formula, std::span<const std::uint64_t> keys, std::span<const T> x,
                   std::span<T> y);
/// The same for all elements of a sample together.
template <typename T>
void drop_samples(const DropoutFormula& formula, std::span<const std::uint64_t> keys, std::span<const T> x,
                  std::span<T> y);

}  // namespace rankscope::engine::cpu
