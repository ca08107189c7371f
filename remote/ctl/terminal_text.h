// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ctl {

/// What other programs wrote, made safe for a terminal. Control characters, C1 controls, bytes that are not
/// UTF-8 and marks that reorder text become "\x1b", "\u009b" and the like: nothing moves the cursor, clears the
/// screen, sets the title or reaches the clipboard.

/// One line of a rank (without '\n') as lines of the terminal. Colours (SGR) pass when `colours` and end with
/// each line. After carriage returns only the last part is kept, as a terminal shows it. Lines longer than
/// `columns` are divided, so that each can have a prefix; 0: no limit.
std::vector<std::string> terminal_lines(std::string_view line, bool colours, std::size_t columns);

/// Prints a line that another program wrote behind `prefix`: as it is where standard output is no terminal (`columns` 0),
/// else safe for it.
void print_foreign_line(const std::string& prefix, std::string_view line, std::size_t columns);

/// A text of our own that may quote others: without colours; a '\n' in it begins a line with "    | ".
std::string safe_text(std::string_view text);

/// The length of "ESC [ … m" that only sets colours and weights; 0: something else. Concealed text (8) is none.
std::size_t colour_length(std::string_view text);

/// Columns of the terminal on this descriptor; 0: it is no terminal.
std::size_t terminal_columns(int fd);

}  // namespace rankscope::ctl
