// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

/// The first character of a text that is not empty.
struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;  ///< 0: no valid UTF-8 here
};
CodePoint first_code_point(std::string_view text);

/// Control characters, C1 controls, and marks that reorder a text or that nobody sees.
bool is_invisible(std::uint32_t code_point);
/// "\x1b", "\u009b": replaces an invisible character; for the first byte where it is no valid UTF-8.
std::string escape_of(CodePoint point, char first);

/// A text of a node or another program as one line: "\n", "\t" and "\r" for themselves, escapes for all other invisible
/// characters and for bytes that are not UTF-8. Nothing in it moves a cursor, begins a line or reorders others' words.
std::string visible_line(std::string_view text);

}  // namespace rankscope
