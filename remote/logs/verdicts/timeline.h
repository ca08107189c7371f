// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/rules/matcher.h>
#include <remote/logs/story/story.h>
#include <remote/logs/verdicts/judge.h>

#include <array>
#include <string>
#include <vector>

namespace rankscope::logs {

/// What an entry of the timeline is.
enum class TimelineKind {
    Fact,    ///< a line that rules know and that is no fault
    Fault,   ///< a line that points to a cause
    Notice,  ///< a line of a process that noticed the failure of another
    Exit,    ///< how a process ended
    Last,    ///< the last line of a process
};

struct TimelineEntry {
    TimelineKind kind = TimelineKind::Fact;
    std::string rule = {};  ///< id; empty: none
    LinePlace place = {};
    std::string text = {};
    std::string host = {};
    int rank = -1;
    Moment moment = {};  ///< of the corrected clock
    double ahead_s = 0;  ///< what the clock was ahead, and was subtracted
    bool first = false;  ///< the first fault of its process
};

/// In the order of time; lines without a time follow the line before them in their file.
std::vector<TimelineEntry> timeline_of(const std::vector<Rule>& rules,
                                       const std::vector<std::vector<SignatureMatches>>& found,
                                       const Judgement& judgement, const Story& story,
                                       const HostClocks& clocks);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::TimelineKind> {
    static constexpr auto names = std::to_array<const char*>({"fact", "fault", "notice", "exit", "last"});
};

}  // namespace rankscope
