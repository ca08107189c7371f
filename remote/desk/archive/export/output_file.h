// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/desk/archive/files/draft_file.h>

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::inline archive {

/// A text file that is written in pieces and appears when it is finished, or not at all. Without a name: standard output.
class OutputFile {
public:
    static Result<OutputFile> create(const std::filesystem::path& path, bool replace);

    void write(std::string_view text);
    /// Failure: something could not be written.
    Result<void> finish();

private:
    OutputFile(std::optional<DraftFile> draft, UniqueFd file)
        : draft_(std::move(draft)), file_(std::move(file)) {}
    void flush();
    Failure failure(int error) const;

    std::optional<DraftFile> draft_;  ///< nothing: standard output
    UniqueFd file_;
    std::string waiting_;
    int error_ = 0;  ///< errno of the first write that failed
};

}  // namespace rankscope::inline archive
