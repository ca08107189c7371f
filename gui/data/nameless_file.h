// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace rankscope::gui {

/// A file without a name, for reading and writing: nothing stays behind, whatever ends the program. Without a folder, in
/// the program's cache folder. Invalid with errno.
UniqueFd nameless_file(std::filesystem::path folder);
/// All of `bytes`, at this place of the file. False with errno: the disk is full, or has failed.
bool write_whole(const UniqueFd& file, std::span<const std::byte> bytes, std::uint64_t place);
/// Bytes that the disk under it has left for users; the largest number when that is not known.
std::uint64_t free_disk_bytes(const UniqueFd& file);

}  // namespace rankscope::gui
