// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// Offset of the first byte that is not UTF-8 (RFC 3629), or npos.
std::size_t first_bad_byte(std::string_view text);

/// The text with every byte that is not UTF-8 replaced by '?': what the kernel and other programs say
/// (command lines, names of files) need not be text, and a frame with a `string` that is none cannot be read
/// at the other end.
std::string as_utf8(std::string text);

}  // namespace rankscope
