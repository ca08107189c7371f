// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine {

struct ImageSize {
    int height = 0;
    int width = 0;
    bool operator==(const ImageSize&) const = default;
};

/// A rectangle of pixels.
struct Box {
    int top = 0;
    int left = 0;
    int height = 0;
    int width = 0;
    bool operator==(const Box&) const = default;
};

/// A picture's bytes, or those of a part of it. Not owned.
struct ImageView {
    const std::uint8_t* pixels =
        nullptr;  ///< [channels, height, width]; interleaved: [height, width, channels]
    int channels = 0;
    Box part;  ///< what of the whole picture is here
    bool interleaved = false;
};

}  // namespace rankscope::engine
