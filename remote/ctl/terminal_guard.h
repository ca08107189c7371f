// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::ctl {

/// What reaches a terminal: text, tabs, ends of lines, colours and the erasing of a progress line. Everything else that moves
/// the cursor, sets titles, reaches the clipboard or reorders text becomes visible, whoever printed it.
class TerminalFilter {
public:
    /// `progress`: "\r\x1b[K" passes.
    explicit TerminalFilter(bool progress) : progress_(progress) {}

    /// The bytes as they may be written; what is not complete waits for the next ones.
    std::string take(std::string_view bytes);

private:
    bool progress_;
    std::string waiting_;
};

/// Standard output and standard error, where they are terminals, pass a filter from now on: the last line of defence
/// behind safe_text() and format_table(). Once, before anything is printed.
void guard_terminals();

}  // namespace rankscope::ctl
