// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>

#include <algorithm>
#include <cassert>
#include <cctype>

namespace rankscope {

std::string shell_quote(std::string_view word) {
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '=' ||
               c == ',' || c == '+' || c == '@';
    };
    // zsh takes a leading '=' for the path of a command.
    if (!word.empty() && word.front() != '=' && std::all_of(word.begin(), word.end(), plain)) {
        return std::string(word);
    }
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'' ||
            c == '\\') {  // the backslash as well: inside of single quotes fish takes \' and \\ for escapes
            quoted += std::string("'\\") + c + '\'';
        } else {
            quoted += c;
        }
    }
    return quoted + '\'';
}

std::string sh_command(std::string_view script) {
    assert(script.find('\n') == std::string_view::npos && script.find('!') == std::string_view::npos);
    return "exec sh -c " + shell_quote(script);
}

}  // namespace rankscope
