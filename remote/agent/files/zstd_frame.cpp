// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/files/zstd_frame.h>

#include <zstd.h>

#include <cstddef>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxPlain = 16U << 20U;

}  // namespace

std::optional<std::string> unpack_zstd(std::string_view frame) {
    const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxPlain) {
        return std::nullopt;
    }
    std::string plain(size, '\0');
    const auto got = ZSTD_decompress(plain.data(), plain.size(), frame.data(), frame.size());
    if (ZSTD_isError(got) != 0U || got != plain.size()) {
        return std::nullopt;
    }
    return plain;
}

}  // namespace rankscope::agent
