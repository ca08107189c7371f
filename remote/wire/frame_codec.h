// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The one place that speaks frames, on the wire between agent and desk and in the spool:
///
///     u32 length of the payload, little endian · u32 CRC-32 of the payload (zlib's) · payload
///
/// A frame is whole or not there: a cut stream loses its last frame, never mixes two.
inline constexpr std::size_t kFrameHeader = 8;
inline constexpr std::size_t kMaxFramePayload = 16U << 20U;
/// First bytes of the agent on its stdout; what comes before is a login shell's noise.
inline constexpr std::string_view kAgentGreeting = "RANKSCOPE-AGENT 1\n";

void append_frame(std::string& out, std::string_view payload);

/// Takes bytes in any pieces, gives whole payloads back.
class FrameReader {
public:
    void feed(std::string_view bytes);
    /// The next payload; valid until the next call of feed or next. Nothing: more bytes are needed, or
    /// damaged().
    std::optional<std::string_view> next();
    /// A length or checksum was wrong: the stream cannot be trusted from here on.
    bool damaged() const { return damaged_; }
    /// Bytes consumed by the payloads given out so far, headers included: where the last whole frame ends.
    std::uint64_t consumed() const { return consumed_; }

private:
    std::string buffer_;
    std::size_t position_ = 0;
    std::uint64_t consumed_ = 0;
    bool damaged_ = false;
};

/// Skips what a login shell prints before kAgentGreeting.
class GreetingSkipper {
public:
    /// Returns true once the greeting was found; `rest` then holds the bytes after it.
    bool feed(std::string_view bytes, std::string& rest);
    /// What came before the greeting, at most 64 KiB: evidence when it never comes.
    const std::string& noise() const { return noise_; }

private:
    std::string noise_;
};

}  // namespace rankscope
