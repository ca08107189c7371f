// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <base/shell_quote.h>

#include <algorithm>
#include <cctype>

namespace rankscope {

std::string shell_quote(std::string_view word) {
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '=' ||
               c == ',' || c == '+' || c == '@';
    };
    // zsh reads a leading '=' as the path of a command.
    if (!word.empty() && word.front() != '=' && std::all_of(word.begin(), word.end(), plain)) {
        return std::string(word);
    }
    std::string quoted = "'";
    for (const char c : word) {
        // The backslash as well: inside single quotes fish reads \' and \\ as escapes.
        if (c == '\'' || c == '\\') {
            quoted += std::string("'\\") + c + '\'';
        } else {
            quoted += c;
        }
    }
    return quoted + '\'';
}

std::string sh_command(std::string_view script) {
    RANKSCOPE_CHECK(script.find_first_of("\n!") == std::string_view::npos, return "exit 2");
    return "exec sh -c " + shell_quote(script);
}

}  // namespace rankscope
