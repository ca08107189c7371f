// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/archive/files/draft_file.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace rankscope::inline archive {

/// A compressed tar archive, which takes the place of `path` when it is finished, or leaves nothing.
class ArchiveWriter {
public:
    static Result<std::unique_ptr<ArchiveWriter>> create(const std::filesystem::path& path, bool replace);
    ~ArchiveWriter();
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;

    Result<void> add(const std::string& name, std::string_view content);
    Result<void> finish();

private:
    struct Free {
        void operator()(::archive* a) const;
    };

    explicit ArchiveWriter(DraftFile file);
    /// What libarchive says, or errno.
    Failure failure() const;

    DraftFile file_;
    std::unique_ptr<::archive, Free> archive_;  ///< writes to file_
};

}  // namespace rankscope::inline archive
