// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::logs {

struct TimeStamp {
    double time = 0;  ///< see LogLine::time
    bool time_of_day_only = false;
};

/// What a date without a year belongs to: Unix seconds of the last change of the file; 0: today.
using FileDate = std::int64_t;

// Each takes its stamp from the start of `rest`, or leaves it as it is.

/// "2026-07-17T02:20:41.693432562Z", "2026-07-17 02:20:41,693", "2026/07/17 02:20:41", with or without a zone.
std::optional<TimeStamp> take_iso_time(std::string_view& rest);
/// "1795192288.724679": Unix time with a fraction.
std::optional<TimeStamp> take_unix_time(std::string_view& rest);
/// "Nov 20 18:35:02" of syslog, "Fri Nov 20 18:35:02 2026" of ctime().
std::optional<TimeStamp> take_month_name_time(std::string_view& rest, FileDate date);
/// "1120 18:35:02.265149503" of glog.
std::optional<TimeStamp> take_glog_time(std::string_view& rest, FileDate date);
/// "18:35:02", "18:35:02.265".
std::optional<TimeStamp> take_clock_time(std::string_view& rest);

}  // namespace rankscope::logs
