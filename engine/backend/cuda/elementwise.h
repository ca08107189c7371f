// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// What is done element by element, in device memory. Counts are multiples of kGroup, pointers on 16-byte
/// boundaries.
namespace rankscope::engine::cuda {

/// y = max(x, 0).
void relu_forward(ElementType type, std::int64_t count, const void* x, void* y, cudaStream_t stream);

/// y = a + b, clamped at 0 if requested.
void add(ElementType type, std::int64_t count, const void* a, const void* b, bool relu, void* y,
         cudaStream_t stream);

/// The sum of the parts, 0 where `result` (may be null) is not above 0. `sum` may be one of the parts.
void gradient_sum(ElementType type, std::int64_t count, const GradientParts& parts, const void* result,
                  void* sum, cudaStream_t stream);

/// y[row][channel] += bias[channel], clamped at 0 if requested; `bias` of the same type as y, or null.
void add_bias(ElementType type, std::int64_t rows, int channels, const void* bias, bool relu, void* y,
              cudaStream_t stream);

/// Between floats and another type; `type` is that of the other side.
void from_floats(ElementType type, std::int64_t count, const float* from, void* to, cudaStream_t stream);
void to_floats(ElementType type, std::int64_t count, const void* from, float* to, cudaStream_t stream);
/// A part of a flat array; both numbers are multiples of kGroup.
struct ElementRange {
    std::int64_t offset = 0;
    std::int64_t count = 0;
};
/// The same for parts of two arrays that lie at the same places, as one kernel (convert_launches() of them).
void from_floats(ElementType type, const std::vector<ElementRange>& ranges, const float* from, void* to,
                 cudaStream_t stream);
void to_floats(ElementType type, const std::vector<ElementRange>& ranges, const void* from, float* to,
               cudaStream_t stream);
constexpr std::size_t kRangesPerLaunch = 32;
constexpr std::size_t convert_launches(std::size_t ranges) {
    return (ranges + kRangesPerLaunch - 1) / kRangesPerLaunch;
}

/// values *= factor.
void scale(ElementType type, std::int64_t count, float factor, void* values, cudaStream_t stream);

/// target += addend.
void add_floats(std::int64_t count, const float* addend, float* target, cudaStream_t stream);

/// Adds the number of elements that are not finite to *found.
void count_non_finite(ElementType type, std::int64_t count, const void* values, unsigned* found,
                      cudaStream_t stream);

}  // namespace rankscope::engine::cuda
