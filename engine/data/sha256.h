// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rankscope::engine {

/// SHA-256 as 64 lower-case hex digits; of a file, empty when it cannot be read.
std::string sha256_of(std::span<const std::byte> data);
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace rankscope::engine
