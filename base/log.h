// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope {

enum class LogLevel { Debug, Info, Warning, Error };

struct LogRecord {
    LogLevel level = LogLevel::Info;
    std::int64_t t_us = 0;  ///< since 1970
    std::string_view text;
};

/// Writes one line to stderr, with one write(2): time (UTC), program, level and text. Line breaks and control
/// characters in the text are escaped: a log line is always one line. For developers and administrators; what
/// users must know is a Failure or an event. Any thread.
void log_message(LogLevel level, std::string_view text);

/// Records below this level are dropped. Info by default; the variable RANKSCOPE_LOG (debug, info, warning,
/// error) sets it at the first record.
void set_log_level(LogLevel least);

/// Receives every record instead of stderr; an empty function restores stderr. The sink is called under a
/// lock, by the thread that logs: it must not log.
using LogSink = std::function<void(const LogRecord&)>;
void set_log_sink(LogSink sink);

/// "2026-11-22T06:14:25.123Z rankscope-agent warning: text", without '\n'.
std::string to_line(const LogRecord& record);

}  // namespace rankscope
