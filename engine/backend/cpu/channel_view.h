// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine::cpu {

/// How a batch of images lies in memory, seen channel by channel: `lanes` channels are neighbours and handled
/// together; all rows (outer × inner) of a block of channels are at outer_stride and inner_stride. Strides
/// are in elements. Channels beyond `channels` in the last block are padding and stay zero.
struct ChannelView {
    std::int64_t channels = 0;
    std::int64_t lanes = 1;  ///< 16, 8, 4 or 1
    std::int64_t block_stride = 0;
    std::int64_t outer = 0;
    std::int64_t outer_stride = 0;
    std::int64_t inner = 0;
    std::int64_t inner_stride = 0;
    bool batch_outside = true;  ///< outer: images, inner: pixels; else the other way round

    std::int64_t blocks() const { return (channels + lanes - 1) / lanes; }
    std::int64_t padded_channels() const { return blocks() * lanes; }
    std::int64_t rows() const { return outer * inner; }
};

}  // namespace rankscope::engine::cpu
