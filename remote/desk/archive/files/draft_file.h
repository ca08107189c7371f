// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <string>

namespace rankscope::inline archive {

/// Who may read a file that is written for the user.
enum class FileAccess { Owner, Usual };

/// The temporary file beside `path` that takes its place when it is complete, or disappears. One thread at a time.
class DraftFile {
public:
    /// Failures: `path` exists (without `replace`), the folder cannot be written.
    static Result<DraftFile> create(const std::filesystem::path& path, bool replace, FileAccess access);
    ~DraftFile();
    DraftFile(DraftFile&& other) noexcept;
    DraftFile& operator=(DraftFile&&) = delete;

    /// Empty and closed at first.
    const std::string& temporary() const { return temporary_; }
    /// Without `replace`, a file that appeared meanwhile stays, too.
    Result<void> move_into_place();
    /// For writers: what failed, with the path and a remedy.
    Failure failure(const std::string& detail) const;

private:
    DraftFile(std::filesystem::path path, std::string temporary, bool replace)
        : path_(std::move(path)), temporary_(std::move(temporary)), replace_(replace) {}

    std::filesystem::path path_;
    std::string temporary_;  ///< empty: there is none
    bool replace_;
};

}  // namespace rankscope::inline archive
