// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The body of a log event without building a JSON value: nearly all that a run stores is such text. The same bytes as
/// body_to_json() otherwise writes. Nothing: the text is not UTF-8.
std::optional<std::string> log_json(const LogEvent& log);
/// What log_json() writes. Nothing: it is not in exactly that form, and may be valid JSON all the same.
std::optional<LogEvent> log_of_json(std::string_view json);

}  // namespace rankscope
