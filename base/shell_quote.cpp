// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <base/command_parts.h>
#include <base/shell_quote.h>

#include <algorithm>

namespace rankscope {

namespace {

// isalnum(3) would ask the locale.
bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@").find(c) != std::string_view::npos;
}

// `escaped`: what needs a backslash outside of the quotes.
std::string quoted(std::string_view word, std::string_view escaped) {
    // zsh reads a leading '=' as the path of a command.
    if (!word.empty() && word.front() != '=' && std::all_of(word.begin(), word.end(), is_plain)) {
        return std::string(word);
    }
    std::string text = "'";
    for (const char c : word) {
        if (escaped.find(c) != std::string_view::npos) {
            text += std::string("'\\") + c + '\'';
        } else {
            text += c;
        }
    }
    return text + '\'';
}

}  // namespace

// The backslash as well: inside single quotes fish reads \' and \\ as escapes.
std::string shell_quote(std::string_view word) {
    return quoted(word, "'\\");
}

std::string sh_quote(std::string_view word) {
    return quoted(word, "'");
}

std::string shell_assignment(std::string_view name, std::string_view value) {
    const std::string start = std::string(name) + '=';
    return VariableName::of(name) ? start + shell_quote(value) : shell_quote(start + std::string(value));
}

std::string copied_word(std::string_view value) {
    if (value.empty() || value.front() == '-' || !is_visible_text(value)) {
        return "…";
    }
    const bool below_home = value.starts_with("~/") && value.size() > 2;
    return below_home ? "~/" + shell_quote(value.substr(2)) : shell_quote(value);
}

std::string sh_command(std::string_view script) {
    RANKSCOPE_CHECK(script.find_first_of("\n!") == std::string_view::npos, return "exit 2");
    return "exec sh -c " + shell_quote(script);
}

}  // namespace rankscope
