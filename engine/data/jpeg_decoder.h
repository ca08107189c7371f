// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rankscope::engine {

/// Decodes JPEG to interleaved RGB, one picture after the other, with libjpeg-turbo at its default (exact)
/// settings: the bytes that PIL's Image.open(…).convert("RGB") gives with the same library. Grey becomes
/// three equal channels; CMYK is taken as inverted, as Adobe writes it. EXIF's orientation is ignored, as
/// torchvision does. Throws Error naming the file: damaged, cut short, too large.
class JpegDecoder {
public:
    JpegDecoder();
    ~JpegDecoder();
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    /// `bytes` must stay until read() is done.
    ImageSize open(std::span<const std::uint8_t> bytes, const std::string& name);
    /// The opened picture once; rows and columns far from `needed` are left out, the rest is what the whole
    /// picture would have there. Valid until the next call.
    ImageView read(const Box& needed);

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace rankscope::engine
