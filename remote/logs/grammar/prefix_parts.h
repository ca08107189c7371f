// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>
#include <remote/logs/grammar/time_stamp.h>

#include <optional>
#include <string_view>

namespace rankscope::logs {

// What several prefixes have in common.

/// The first time of a line counts; one with a date replaces one without.
void set_time(LogLine& line, const TimeStamp& stamp);
/// "ERROR", "warning".
std::optional<LineLevel> level_of(std::string_view word);
/// "E" of glog.
std::optional<LineLevel> level_of_letter(char letter);
/// After the time of glog, or its level alone: "[thread] file:line] ".
bool take_glog_place(std::string_view& rest, LogLine& line);
/// What may stand between a time and the message: " - ", " | ", a level, a logger with a level ("torch.…: [ERROR] ").
void take_after_time(std::string_view& rest, LogLine& line);

}  // namespace rankscope::logs
