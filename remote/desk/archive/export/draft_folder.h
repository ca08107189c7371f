// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace rankscope::inline archive {

/// A new folder that takes its name when all its files are complete, or leaves nothing. What is appended waits in memory,
/// 64 MiB at most, and files are opened to write it only: a thousand of them need no thousand descriptors.
class DraftFolder {
public:
    /// Failures: `path` exists and is not empty, its parent cannot be written.
    static Result<DraftFolder> create(const std::filesystem::path& path);
    ~DraftFolder();
    DraftFolder(DraftFolder&& other) noexcept;
    DraftFolder& operator=(DraftFolder&&) = delete;

    void append(const std::filesystem::path& name, std::string_view bytes);
    bool has(const std::filesystem::path& name) const { return waiting_.count(name) > 0; }
    /// Failure: something could not be written.
    Result<void> finish();

private:
    DraftFolder(std::filesystem::path path, std::filesystem::path temporary)
        : path_(std::move(path)), temporary_(std::move(temporary)) {}
    void flush(const std::filesystem::path& name, std::string& waiting);
    void flush();

    std::filesystem::path path_;
    std::filesystem::path temporary_;  ///< empty: there is none
    std::map<std::filesystem::path, std::string> waiting_;
    std::size_t bytes_ = 0;  ///< of all that waits
    int error_ = 0;          ///< errno of the first write that failed
};

}  // namespace rankscope::inline archive
