// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/backend/dropout_formula.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstdint>

namespace rankscope::engine::cuda {

/// Values [batch][rows][channels], channels padded.
struct DropoutShape {
    std::int64_t batch = 0;
    std::int64_t rows = 1;  ///< of a sample
    std::int64_t channels = 0;
    ElementType type = ElementType::f32;
    bool whole_samples = false;

    std::int64_t stored() const { return padded(channels); }
};

/// y = x times what the samples' keys decide; y may be x. `keys`: a device pointer to the pointer, [batch].
void drop(const DropoutShape& shape, const DropoutFormula& formula, const std::uint64_t* const* keys,
          const void* x, void* y, cudaStream_t stream);

}  // namespace rankscope::engine::cuda
