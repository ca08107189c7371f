// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>
#include <engine/data/jpeg_decoder.h>
#include <engine/data/png_decoder.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Decodes one picture file after the other to interleaved RGB; JPEG or PNG, recognised by the first bytes (public
/// sets have some under the wrong name). Throws Error naming the file.
class ImageDecoder {
public:
    ImageSize open(const std::string& file);
    /// The same for a file that is in memory; `bytes` must stay until read() is done.
    ImageSize open(std::span<const std::uint8_t> bytes, const std::string& name);
    /// The opened picture once, at least its part `needed`; valid until the next call.
    ImageView read(const Box& needed);

private:
    std::vector<std::uint8_t> bytes_;
    bool is_png_ = false;
    JpegDecoder jpeg_;
    PngDecoder png_;
};

}  // namespace rankscope::engine
