// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <cstdint>
#include <limits>
#include <optional>

namespace rankscope::gui {

class LiveData;
class XScale;

/// A moment of a run, as the log and the curves have it.
struct RunMoment {
    std::int64_t t_us = 0;  ///< since 1970
    double step = 0;        ///< the nearest one that the rank has reported
    int rank = -1;          ///< -1: not one rank's

    bool operator==(const RunMoment&) const = default;
};

/// Times from one to another, both included, µs since 1970.
struct TimeSpan {
    static constexpr std::int64_t kOpenBegin = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kOpenEnd = std::numeric_limits<std::int64_t>::max();

    std::int64_t from_us = kOpenBegin;
    std::int64_t until_us = kOpenEnd;

    bool operator==(const TimeSpan&) const = default;
    bool contains(std::int64_t t_us) const { return t_us >= from_us && t_us <= until_us; }
};

/// Nothing: the run has no curves.
std::optional<RunMoment> moment_of_time(const LiveData& run, std::int64_t t_us, int rank);
/// Of a place on the x axis.
std::optional<RunMoment> moment_of_x(const LiveData& run, const XScale& scale, double x, int rank);
/// Where a moment stands on the x axis: what was before the first step or after the last one, there.
double x_of_moment(const LiveData& run, const XScale& scale, const RunMoment& moment);
/// Of any time, also before the first step and after the last one.
double x_of_time(const LiveData& run, const XScale& scale, std::int64_t t_us);
/// Of a part of the x axis. Over steps, what was before the first or after the last one belongs to that step.
std::optional<TimeSpan> span_of_x(const LiveData& run, const XScale& scale, double lower, double upper);

/// "14:03:22".
QString moment_clock_text(const RunMoment& moment);
/// "2026-11-23 14:03:22, step 120, rank 3".
QString moment_text(const RunMoment& moment);
/// "14:03:22 – 14:05:10", "from 14:03:22".
QString span_text(const TimeSpan& span);

}  // namespace rankscope::gui
