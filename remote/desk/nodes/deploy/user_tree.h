// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/sha256.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

struct TreeFile {
    enum class Kind { File, Folder, Link };
    std::string path;  ///< below the folder on the node, with '/'; bytes as the file system has them
    Kind kind = Kind::File;
    unsigned mode = 0644;
    std::uint64_t size = 0;
    Sha256Digest sha256{};
    std::string target;            ///< of a link, as it is
    std::filesystem::path source;  ///< on this machine
};

/// What `push:` of a job names, with everything below it. A path keeps its place relative to the job file, so
/// that command and imports read the same here and there; one from elsewhere comes under its own name. Left
/// out: version control, caches of Python and its tools, virtual environments, whatever is no file, folder or
/// link.
struct UserTree {
    std::vector<TreeFile> files;  ///< folders before what they hold
    std::uint64_t total_bytes = 0;
};

inline constexpr std::size_t kMaxTreeFiles = 50000;

/// Reads and hashes all of it. `progress` gets what has been read so far.
Result<UserTree> collect_user_tree(const std::filesystem::path& job_file,
                                   const std::vector<std::string>& push, std::stop_token stop,
                                   const std::function<void(std::uint64_t bytes)>& progress);

/// Folder and file names that are never pushed unless `push:` names them themselves.
bool is_ignored_name(const std::string& name);

}  // namespace rankscope::inline nodes
