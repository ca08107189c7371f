// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::agent {

struct ProgramQuestion {
    std::vector<std::string> argv{};
    double seconds = 0;                                ///< until it is killed
    std::map<std::string, std::string> environment{};  ///< added to ours
};

struct ProgramAnswer {
    int start_error = 0;  ///< errno; 0: it was started
    int status = -1;      ///< exit status; -1: a signal, or out of time
    bool late = false;    ///< it was killed at its deadline, or because of the stop
    double seconds = 0;   ///< until its end
    std::string output{};
    std::string errors{};

    bool good() const { return status == 0; }
    /// Why there is no good answer, for `Unseen.why`: "no answer within 2.0 s", what it printed on stderr, …
    std::string why() const;
};

/// Runs all of them at the same time; the answers are in the order of the questions. After a stop request the rest is
/// killed within a tenth of a second.
std::vector<ProgramAnswer> ask_programs(const std::vector<ProgramQuestion>& questions,
                                        const std::stop_token& stop);
ProgramAnswer ask_program(const ProgramQuestion& question, const std::stop_token& stop);

}  // namespace rankscope::agent
