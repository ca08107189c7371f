// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::inline archive {

/// A new folder that takes its name when all its files are complete, or leaves nothing. Files are opened for each
/// append only: a thousand of them need no thousand descriptors.
class DraftFolder {
public:
    /// Failures: `path` exists and is not empty, its parent cannot be written.
    static Result<DraftFolder> create(const std::filesystem::path& path);
    ~DraftFolder();
    DraftFolder(DraftFolder&& other) noexcept;
    DraftFolder& operator=(DraftFolder&&) = delete;

    void append(const std::filesystem::path& name, std::string_view bytes);
    /// Failure: something could not be written.
    Result<void> finish();

private:
    DraftFolder(std::filesystem::path path, std::filesystem::path temporary)
        : path_(std::move(path)), temporary_(std::move(temporary)) {}

    std::filesystem::path path_;
    std::filesystem::path temporary_;  ///< empty: there is none
    int error_ = 0;                    ///< errno of the first write that failed
};

}  // namespace rankscope::inline archive
