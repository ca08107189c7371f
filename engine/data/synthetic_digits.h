// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image_set.h>

#include <cstdint>

namespace rankscope::engine {

/// Digits drawn by the program: strokes under a random affine map, with random thickness, brightness and
/// noise, 28×28, ten classes in equal shares. The same (seed, stream) gives the same images on every machine
/// with IEEE arithmetic; training and test sets are different streams. For trying things out where there are
/// no files.
ImageSet draw_digits(std::int64_t count, std::uint64_t seed, std::uint64_t stream);

}  // namespace rankscope::engine
