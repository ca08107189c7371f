// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::tensorboard {

/// CRC-32C (Castagnoli, RFC 3720 B.4).
std::uint32_t crc32c(std::string_view bytes);
/// As TensorFlow's record files store it, so that a checksum of data that holds checksums stays a good one:
/// turned right by 15 bits, plus 0xa282ead8.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace rankscope::tensorboard
