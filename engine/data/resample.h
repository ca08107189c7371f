// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>

#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// Which pixels of a line make one pixel of the scaled line, and how much of each.
struct ResampleLine {
    std::vector<int> first;            ///< [pixels]
    std::vector<int> count;            ///< [pixels]
    std::vector<std::int32_t> weight;  ///< [pixels, taps], in units of 2⁻²²
    int taps = 0;                      ///< the largest count
    std::vector<double> exact;         ///< memory for making it
};

/// Triangle filter ("bilinear") over a line of `in` pixels scaled to `out`, for the pixels [from, from +
/// pixels) of it. When a line shrinks the filter widens with it (antialiasing).
void make_resample_line(int in, int out, int from, int pixels, ResampleLine& line);

/// Memory that is used again for the next picture.
struct ResampleScratch {
    ResampleLine columns;
    ResampleLine rows;
    std::vector<std::uint8_t> lines;
    std::vector<std::uint8_t> tile;
};

/// Scales the part `box` of a picture to full.height × full.width and writes the window `out` of that,
/// channel by channel, to planes[c × plane_stride + y × row_stride + x]. The same bytes as PIL's
/// Image.crop(box) .resize(full, BILINEAR): columns first, 8-bit between the passes, weights of 22 bits,
/// rounded. `image` must contain `box` as far as the window needs it (resample_source).
void resample(const ImageView& image, const Box& box, const ImageSize& full, const Box& out,
              ResampleScratch& scratch, std::uint8_t* planes, std::size_t plane_stride,
              std::size_t row_stride);

/// The part of the picture that the window `out` of the scaled `box` is made of.
Box resample_source(const Box& box, const ImageSize& full, const Box& out);

}  // namespace rankscope::engine
