// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::engine::test {

/// data/image_values.json: what PIL and torchvision make of pictures.
const nlohmann::json& image_values();

std::vector<std::uint8_t> from_base64(const std::string& text);

/// Interleaved RGB.
struct Picture {
    ImageSize size;
    std::vector<std::uint8_t> pixels;

    ImageView view() const { return {pixels.data(), 3, {0, 0, size.height, size.width}, true}; }
};

/// The picture that data/make_image_values.py draws as well.
Picture pattern(int height, int width);
/// Gradients with an edge.
Picture smooth(int height, int width);

struct JpegOptions {
    int quality = 85;
    int horizontal = 2;  ///< chroma samples are shared by this many pixels
    int vertical = 2;
    bool progressive = false;
};
/// Files in memory, written with the libraries themselves.
std::string encode_jpeg(const Picture& picture, const JpegOptions& options = {});
std::string encode_png(const Picture& picture, bool interlaced = false);

}  // namespace rankscope::engine::test
