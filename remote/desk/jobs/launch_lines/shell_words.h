// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline jobs {

/// One simple command of a pasted shell text.
struct WrittenCommand {
    std::vector<std::string> words;     ///< without their quotes
    std::vector<std::string> unfilled;  ///< words in which a shell would fill in $…, `…` or a pattern
    std::vector<std::string> quoted;    ///< those of `unfilled` that have quotes: a shell does not split them
    std::vector<std::string> redirections;  ///< "> log.txt", "2>&1": where its output would have gone
    std::string ended_by;                   ///< "", ";", "&&", "||", "|", "&"
};

struct ShellText {
    std::vector<WrittenCommand> commands;
    std::string problem;  ///< not empty: what a shell would not understand either ("a ' is never closed")
};

/// Splits what a person would type into sh: quotes, backslashes, line continuations and comments as POSIX has
/// them (2.2 Quoting, 2.3 Token Recognition). Nothing is filled in: $HOME stays as it is and is reported.
ShellText split_shell_text(std::string_view text);

/// The text without what a shell has printed before it: "$ torchrun …", "user@host:~$ torchrun …".
std::string without_prompts(const std::string& text);

}  // namespace rankscope::inline jobs
