// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A file of a public data set as its authors published it.
struct PublishedFile {
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;  ///< hex
};

/// Whether the file has the published size and content.
bool is_as_published(const std::filesystem::path& file, const PublishedFile& published);

/// Refuses a file that has the published name and size, but another content: damaged on its way or disk.
/// Files of other sizes pass: they are not meant to be the published ones. A file is hashed once, then known
/// by size and time of change (in the user's cache). Throws Error.
void refuse_damaged(const std::filesystem::path& file, const std::vector<PublishedFile>& published);

}  // namespace rankscope::engine
