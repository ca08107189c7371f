// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/tensor/host_buffer.h>
#include <engine/tensor/image_window.h>

#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// Samples of one step; one of the first three has them (SampleForm).
struct Batch {
    HostBuffer<float> pixels;           ///< form floats: [size, channels, height, width], or tokens [size, T]
    HostBuffer<std::uint8_t> bytes;     ///< form bytes: the same
    std::vector<ImageWindow> windows;   ///< form windows: [size], of the set's images
    HostBuffer<std::int32_t> labels;    ///< [size · rows]
    std::vector<std::int64_t> indices;  ///< [size], which samples of the set these are
    std::vector<std::uint64_t> keys;    ///< [size], of the sample in this epoch: for dropout
    std::int64_t number = 0;            ///< place in the epoch, from 0
    std::int64_t rows = 1;              ///< labels of a sample: one, or one per token

    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()) / rows; }
};

}  // namespace rankscope::engine
