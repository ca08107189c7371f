// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/frame_codec.h>

#include <zlib.h>

#include <algorithm>
#include <cassert>

namespace rankscope {
namespace {

std::uint32_t read_u32(const char* bytes) {
    const auto at = [bytes](int i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    };
    return at(0) | at(1) << 8U | at(2) << 16U | at(3) << 24U;
}

void append_u32(std::string& out, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out += static_cast<char>(value >> shift & 0xFFU);
    }
}

std::uint32_t checksum(std::string_view payload) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(payload.data()), static_cast<uInt>(payload.size())));
}

}  // namespace

void append_frame(std::string& out, std::string_view payload) {
    assert(payload.size() <= kMaxFramePayload);
    append_u32(out, static_cast<std::uint32_t>(payload.size()));
    append_u32(out, checksum(payload));
    out += payload;
}

void FrameReader::feed(std::string_view bytes) {
    if (position_ > 0 && (position_ == buffer_.size() || position_ > (1U << 20U))) {
        buffer_.erase(0, position_);
        position_ = 0;
    }
    buffer_ += bytes;
}

std::optional<std::string_view> FrameReader::next() {
    const std::size_t available = buffer_.size() - position_;
    if (damaged_ || available < kFrameHeader) {
        return std::nullopt;
    }
    const char* header = buffer_.data() + position_;
    const std::size_t length = read_u32(header);
    if (length > kMaxFramePayload) {
        damaged_ = true;
        return std::nullopt;
    }
    if (available < kFrameHeader + length) {
        return std::nullopt;
    }
    const std::string_view payload(header + kFrameHeader, length);
    if (checksum(payload) != read_u32(header + 4)) {
        damaged_ = true;
        return std::nullopt;
    }
    position_ += kFrameHeader + length;
    consumed_ += kFrameHeader + length;
    return payload;
}

bool GreetingSkipper::feed(std::string_view bytes, std::string& rest) {
    constexpr std::size_t kMaxNoise = 65536;
    noise_ += bytes;
    const auto found = noise_.find(kAgentGreeting);
    if (found != std::string::npos) {
        rest = noise_.substr(found + kAgentGreeting.size());
        noise_.resize(found);
        return true;
    }
    if (noise_.size() > kMaxNoise + kAgentGreeting.size()) {
        noise_.erase(0, noise_.size() - kMaxNoise - kAgentGreeting.size());
    }
    return false;
}

}  // namespace rankscope
