// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// What a rank has written into the file of TORCHELASTIC_ERROR_FILE (torch's @record, or our own engine):
/// {"message": {"message": "<Type>: <text>", "extraInfo": {"py_callstack": …, "timestamp": "<seconds>"}}}, or
/// {"message": "<text>"}.
struct ErrorFile {
    std::string message;
    std::string last_frame;  ///< "train.py:42 in main"; empty: unknown
    int missing_rank = -1;   ///< the rank that did not answer it (our engine's); −1: none
    std::int64_t failed_us =
        0;  ///< when it was written: the time stamp inside has whole seconds only; 0: no file

    /// "RuntimeError: boom (train.py:42 in main)".
    std::string reason() const;
};

/// Never fails: what is absent or broken is empty.
ErrorFile read_error_file(const std::filesystem::path& file);

/// The innermost frame of a Python traceback, from its last line `File "…/train.py", line 42, in main`.
std::string last_frame_of(std::string_view traceback);

}  // namespace rankscope::agent
