// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// Where the files of one run's ranks go on this node:
///
///     <log_dir>/<run id>/attempt_<n>/<local rank>/{stdout.log,stderr.log,error.json}
///
/// as torchrun lays them out. Nodes that share the file system would write the same files: the node that
/// comes second takes <run id>_<host name>.
class LogFolder {
public:
    /// Empty log_dir, or /dev/null: no files. Returns errno, with `path` what could not be made.
    int open(const std::string& log_dir, const std::string& workdir, const std::string& run_id);
    bool is_open() const { return !root_.empty(); }
    std::filesystem::path rank(int attempt, int local_rank) const;
    const std::filesystem::path& root() const { return root_; }

private:
    std::filesystem::path root_;
};

/// The two streams of one rank, byte for byte. Recording stops for a file that cannot be written, with the reason;
/// the spool has everything all the same.
class RankLogs {
public:
    /// Removes what an attempt of the same number has left. Returns errno.
    int open(const std::filesystem::path& folder);
    /// errno of the write that made us give the stream up; 0 otherwise.
    int write(bool is_stderr, std::string_view text);
    void copy_error_file(const std::filesystem::path& from) const;

private:
    std::filesystem::path folder_;
    UniqueFd out_;
    UniqueFd err_;
};

}  // namespace rankscope::agent
