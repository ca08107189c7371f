// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_line.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// A pasted text, and what is known when it is read.
struct PastedText {
    std::string text = {};
    std::filesystem::path folder = {};    ///< where it lies: of the files that it names; empty: none are read
    std::vector<std::string> nodes = {};  ///< that the user has chosen; empty: none yet
    std::map<std::string, std::string> values =
        {};                 ///< what the script asks for: "CODE"; "1": its first argument
    std::size_t start = 0;  ///< which of the jobs that it starts, of ReadText::starts

    bool operator==(const PastedText&) const = default;
};

struct ReadText {
    Result<PastedLine> line;
    std::vector<std::string> missing =
        {};  ///< values that it needs, and `pasted` does not give: the failure names each
    std::vector<std::string> starts =
        {};  ///< lines that start a job of their own, as typed; empty: it is not known yet
};

/// Only a shell can say what the text starts: variables, branches, wrappers around a launcher, files that it names.
bool needs_a_shell(const std::string& text);

/// The job of a text that needs no shell, at once.
ReadText read_text_as_written(const PastedText& pasted);

/// The job of a pasted line or script. What needs a shell is evaluated by one, in a sandbox (sandbox_shell.h); without a
/// sandbox, or where the text is plain, by read_launch_line(). Blocks for some tenths of a second, at most for 5 s.
ReadText read_script_text(const PastedText& pasted);

}  // namespace rankscope::inline jobs
