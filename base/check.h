// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope {

/// Logs a condition that must hold and does not, with its place in the source.
void report_failed_check(const char* condition, const char* file, int line);

}  // namespace rankscope

/// For what must never happen unless this program has an error of its own: logs file and line, then recovers
/// with `action` (return, continue, a safe value). Never ends the process; a fault outside of the program is
/// a Failure instead.
///
///     RANKSCOPE_CHECK(index < ranks.size(), return);
#define RANKSCOPE_CHECK(condition, action)                                \
    if (condition) {                                                      \
    } else {                                                              \
        ::rankscope::report_failed_check(#condition, __FILE__, __LINE__); \
        action;                                                           \
    }                                                                     \
    static_assert(true, "the macro is used like a statement, with a semicolon")
