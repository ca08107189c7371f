// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The whole file; nothing when it cannot be read (see errno). Works for /proc, where sizes are 0.
std::optional<std::string> read_file(const std::filesystem::path& file);

/// Replaces the whole file: temporary file beside it (mode 0600), fsync, rename. The old content stays
/// when anything fails. Returns errno, 0 for success. Missing folders are made (mode 0700).
int write_file_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace rankscope
