// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/line_place.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace rankscope::logs {

/// Who prints a line. Program: everything else.
enum class Speaker { Program, Nccl, Torch, Gloo, Launcher, Ssh, Kernel };

enum class LineLevel { None, Info, Warn, Error };

/// A line and what its prefixes say. The views live until the next line.
struct LogLine {
    LinePlace place;
    std::string_view text;     ///< as in the file, without line end and colours
    std::string_view message;  ///< without the prefixes that were understood
    Speaker speaker = Speaker::Program;
    LineLevel level = LineLevel::None;
    std::string_view source = {};  ///< "misc/socket.cc:504", "ProcessGroupNCCL.cpp:683"; empty: not said
    std::string_view host = {};    ///< as the line says it, else the header of its part; empty: neither does
    std::string_view part = {};    ///< name of the part of the file ("==> node-b.log <=="); empty: no parts
    std::string_view view =
        {};                     ///< what the name of the file says of who prints it: it may be no node at all
    std::string_view bar = {};  ///< a progress bar that stands before the message, without a line end
    int rank = -1;
    int bar_rank = -1;    ///< who draws the bar: what follows it may be of another rank
    int local_rank = -1;  ///< "[default0]:" of torchrun, folders of --log-dir
    std::int64_t pid = -1, tid = -1;
    int device = -1;
    /// Unix seconds; a local time counts as UTC. A date without a year has that of the file. With
    /// time_of_day_only: seconds since midnight.
    double time = std::numeric_limits<double>::quiet_NaN();
    bool time_of_day_only = false;

    /// Tells speakers apart: the host, else the view.
    std::string_view origin() const { return host.empty() ? view : host; }
};

using LineSink = std::function<void(const LogLine&)>;

}  // namespace rankscope::logs
