// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::agent {

/// How far a search for files goes.
struct SearchLimits {
    std::size_t entries = 50'000;
    int depth = 16;
    bool skips_code =
        false;  ///< hidden folders, virtual environments, caches and packages of Python are passed by
};
/// Regular files below the folder whose name `wanted` takes, nearer ones first; no link is followed. False: there are more
/// entries than the limit.
bool search_files(const std::filesystem::path& folder, const SearchLimits& limits,
                  const std::function<bool(const std::string& path)>& wanted,
                  const std::function<void(const std::string& path)>& found);

/// Files that a process of this user has open for writing, of those that `wanted` takes.
std::vector<std::string> files_written_by(pid_t pid,
                                          const std::function<bool(const std::string& path)>& wanted);

/// When the file was made, seconds since 1970; nothing where the file system does not say.
std::optional<double> born_at(const std::string& path);

/// Another process of this user works in the folder with a program of the ranks': what appears there may be its.
bool is_shared_with_others(const std::filesystem::path& folder, const std::set<pid_t>& own);

/// Folders that a command line names: "--logdir=/data/run7", "--output_dir out", as the program sees them from `workdir`.
std::vector<std::filesystem::path> folders_of_command(const std::vector<std::string>& command,
                                                      const std::filesystem::path& workdir);

}  // namespace rankscope::agent
