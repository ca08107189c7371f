// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/remark_book.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

struct FoundFile {
    std::filesystem::path path;  ///< empty: standard input
    std::string name;            ///< as the user gave it, or that, "/" and the path below
    std::uint64_t bytes = 0;
    std::int64_t modified_s = 0;
};

/// What the paths mean: themselves, and for a folder every file below it that may be a log, in natural order
/// (rank2 before rank10). Links to folders are not followed.
std::vector<FoundFile> find_log_files(const std::vector<std::string>& paths, std::size_t most,
                                      RemarkBook& remarks);

/// Whether a name says that a file is no log: source code, pages, pictures, checkpoints.
bool names_no_log(std::string_view name);

}  // namespace rankscope::logs
