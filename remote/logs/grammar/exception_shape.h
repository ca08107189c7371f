// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string_view>

namespace rankscope::logs {

/// How Python, and C++ through it, ends an uncaught exception: "package.module.NameError: text". The views point into the
/// message.
struct ExceptionShape {
    std::string_view type;  ///< with its packages
    std::string_view text;  ///< may be empty
};

/// The exception with which a message begins. Only a class whose name says that it is one counts, so that no sentence
/// becomes an exception.
std::optional<ExceptionShape> exception_at(std::string_view message);

/// "Traceback (most recent call last):" and its relatives.
bool begins_traceback(std::string_view message);

}  // namespace rankscope::logs
