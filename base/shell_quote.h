// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// One word for any shell that knows single quotes (sh, bash, zsh, fish, csh but for '!' and line breaks):
/// the only place that quotes. Commands with values of elsewhere: base/shell_command.h.
std::string shell_quote(std::string_view word);

/// The same for sh alone: its single quotes take every other character as it is.
std::string sh_quote(std::string_view word);

/// "NAME=VALUE" before a command: sets the variable, and nothing else. A name that no shell knows makes one quoted word.
std::string shell_assignment(std::string_view name, std::string_view value);

/// A value within a command that the user may copy from a sentence: one word, "~/" kept for the shell. "…" in place of
/// what no command should take from a foreign text: an option, characters that are not visible, nothing at all.
std::string copied_word(std::string_view value);

/// `sh -c '<script>'` for whatever login shell the user has (csh and fish too). The script itself must hold
/// no newline and no '!' (csh expands it even in quotes); checked, and "exit 2" if it does.
std::string sh_command(std::string_view script);

}  // namespace rankscope
