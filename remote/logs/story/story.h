// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>
#include <remote/logs/story/progress.h>
#include <remote/logs/story/timed_out_work.h>
#include <remote/logs/story/tracebacks.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope::logs {

/// A moment in a log; NaN: the line has none.
struct Moment {
    double time = std::numeric_limits<double>::quiet_NaN();
    bool time_of_day_only = false;

    bool known() const { return !std::isnan(time); }
};

/// A line worth keeping: with its text, which LogLine only lends.
struct KeptLine {
    LinePlace place = {};
    std::string text = {};
    Moment moment = {};
};

/// Whoever prints lines: as much of host, rank and pid as its lines say.
struct Process {
    std::uint32_t file = 0;
    std::string part = {};
    std::string host = {};
    std::string view = {};  ///< of its lines
    int rank = -1;
    std::int64_t pid = -1;
    std::uint64_t lines = 0;
    std::uint64_t errors = 0;
    Moment begin = {};
    Moment end = {};
    KeptLine last = {};
    std::optional<KeptLine> first_error = {};

    /// Tells speakers apart: the host, else the view.
    const std::string& origin() const { return host.empty() ? view : host; }
};

/// How a process ended, as a launcher reports it.
struct ProcessExit {
    LinePlace place = {};
    std::string text = {};
    std::string host = {};
    int rank = -1;
    std::int64_t pid = -1;
    int code = 0;                 ///< negative: -(signal)
    bool finished = false;        ///< reported by the run: with code 0
    std::string printed_on = {};  ///< the host that prints the line; empty: not said
    Moment moment = {};
};

/// The moment at which a launcher on a host has all others of a run: the same for all of them.
struct Rendezvous {
    std::string host = {};
    int number = 0;  ///< of this host, from 0
    double time = std::numeric_limits<double>::quiet_NaN();
};

/// Who speaks in a log, from when to when, what each says last, and how each ends. Bounded memory: at most kMost
/// processes and exits; later ones count for the last.
class Story {
public:
    static constexpr std::size_t kMost = 20'000;

    /// Takes the next line of a source. Returns the index of the process that prints it.
    std::size_t take(const LogLine& line);
    /// What is known of the run beside its lines: an exit, a step.
    void take(ProcessExit exit);
    void take(const ReportedStep& step) { progress_.take(step); }

    const std::vector<Process>& processes() const { return processes_; }
    const std::vector<ProcessExit>& exits() const { return exits_; }
    std::vector<ProcessExit>& exits() { return exits_; }
    std::vector<Process>& processes() { return processes_; }
    std::uint64_t lines() const { return lines_; }
    /// How the collectives differ that ranks wait for.
    WorkComparison compared_work() const { return works_.compare(); }
    const TimedOutWorks& timed_out_works() const { return works_; }
    const Progress& progress() const { return progress_; }
    Progress& progress() { return progress_; }
    const Tracebacks& tracebacks() const { return tracebacks_; }
    const std::vector<Rendezvous>& rendezvous() const { return rendezvous_; }

private:
    std::size_t process_of(const LogLine& line);
    void take_exit(const LogLine& line);
    void take_rendezvous(const LogLine& line);

    // A block of torchrun's summary while it is read.
    struct Summary {
        std::string host = {};
        int rank = -1;
    };

    std::vector<Process> processes_;
    std::unordered_map<std::string, std::size_t> index_;
    std::size_t latest_ = 0;
    std::vector<ProcessExit> exits_;
    std::map<std::uint32_t, Summary> summaries_;  // by file
    std::vector<std::uint32_t> rare_;             // words of the line in hand
    std::uint64_t lines_ = 0;
    TimedOutWorks works_;
    Progress progress_;
    Tracebacks tracebacks_;
    std::vector<Rendezvous> rendezvous_;
    std::map<std::string, int> rendezvous_of_host_;
};

}  // namespace rankscope::logs
