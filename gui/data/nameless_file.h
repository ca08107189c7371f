// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <cstdint>
#include <filesystem>

namespace rankscope::gui {

/// A file without a name, for reading and writing: nothing stays behind, whatever ends the program. Invalid with errno.
UniqueFd nameless_file(const std::filesystem::path& folder);
/// Bytes that the disk under it has left for users; the largest number when that is not known.
std::uint64_t free_disk_bytes(const UniqueFd& file);

}  // namespace rankscope::gui
