// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

// A header without C++20, for the CUDA compiler, which also reads this layout on the device.
namespace rankscope::engine {

/// One sample cut from an image of a set: a window of the network's input size whose corner lies at (top, left);
/// pixels outside the image are byte 0. Then mirrored, left for right, where `flip` is not 0.
struct ImageWindow {
    std::int32_t image = 0;
    std::int16_t top = 0;
    std::int16_t left = 0;
    std::int32_t flip = 0;
};

}  // namespace rankscope::engine
