// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// What a desk has packed into one zstd frame (RFC 8878), which names its size. Nothing: it is damaged, or
/// larger than 16 MB, which no push sends.
std::optional<std::string> unpack_zstd(std::string_view frame);

}  // namespace rankscope::agent
