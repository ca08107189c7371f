// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rankscope::engine {

/// Decodes PNG to interleaved RGB, as PIL's Image.open(…).convert("RGB") does: palettes looked up, grey
/// three times, alpha dropped without blending; of 16-bit colours the upper byte, but 16-bit grey without
/// alpha cut off at 255 (which makes most such pictures white; PIL's habit, kept for equal results). Throws
/// Error naming the file: damaged, cut short, too large.
class PngDecoder {
public:
    PngDecoder();
    ~PngDecoder();
    PngDecoder(const PngDecoder&) = delete;
    PngDecoder& operator=(const PngDecoder&) = delete;

    /// `bytes` must stay until read() is done.
    ImageSize open(std::span<const std::uint8_t> bytes, const std::string& name);
    /// The opened picture once, at least the rows of `needed`; valid until the next call.
    ImageView read(const Box& needed);

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace rankscope::engine
