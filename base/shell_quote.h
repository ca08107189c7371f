// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// One word for any shell that knows single quotes (sh, bash, zsh, fish, csh but for '!' and line breaks):
/// the only place that quotes.
std::string shell_quote(std::string_view word);

/// `sh -c '<script>'` for whatever login shell the user has (csh and fish too). The script itself must hold
/// no newline and no '!' (csh expands it even in quotes); checked, and "exit 2" if it does.
std::string sh_command(std::string_view script);

}  // namespace rankscope
