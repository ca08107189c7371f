// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>
#include <engine/tensor/image_window.h>

#include <cuda_runtime_api.h>

#include <cstdint>

/// The first kernel of a step: samples as the host gives them become the network's input, channels last and
/// padded with zeros. Augmentation is part of it. Sources are read through a pointer in device memory, so
/// that a recorded graph can be given others.
namespace rankscope::engine::cuda {

struct InputShape {
    int batch = 0;
    int channels = 0;
    int height = 1;
    int width = 1;
    ElementType type = ElementType::f32;

    int stored_channels() const { return static_cast<int>(padded(channels)); }
};

/// Images that stay on the device: bytes [count][channels][height][width].
struct KeptImages {
    const std::uint8_t* pixels = nullptr;
    int height = 0;
    int width = 0;
};

/// source: floats [batch][channels][height][width].
void input_from_floats(const InputShape& shape, const float* const* source, void* input, cudaStream_t stream);
/// source: bytes of the same shape; the number is table[256 · channel + byte].
void input_from_bytes(const InputShape& shape, const std::uint8_t* const* source, const float* table,
                      void* input, cudaStream_t stream);
/// source: one window of a kept image per sample.
void input_from_windows(const InputShape& shape, const ImageWindow* const* source, const KeptImages& images,
                        const float* table, void* input, cudaStream_t stream);

/// The way back: stored values as floats [batch][channels][height][width], rows `row` floats apart; what is
/// behind the values of a row becomes 0.
void output_to_floats(const InputShape& shape, const void* values, std::int64_t row, float* floats,
                      cudaStream_t stream);
/// And its gradient: from [batch][row] of the given type to the stored layout.
void output_gradient(const InputShape& shape, const void* gradient, std::int64_t row, void* values,
                     cudaStream_t stream);

}  // namespace rankscope::engine::cuda
