// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct ProgramLimits {
    double seconds = 60;                         ///< then it is killed
    std::size_t output = std::size_t{1} << 20U;  ///< bytes kept of each stream
    bool until_full = false;                     ///< more than these bytes are not waited for: it is killed
    std::stop_token stop{};                      ///< kills it within a tenth of a second
    std::map<std::string, std::string> environment{};      ///< added to ours
    std::function<void(std::string_view line)> on_line{};  ///< of its output, as it comes
};

struct ProgramOutput {
    int start_error = 0;  ///< errno; 0: it was started
    int status = -1;      ///< exit status; -1: a signal, out of time, or stopped
    bool cut = false;     ///< it printed more than is kept
    std::string output{};
    std::string errors{};

    bool good() const { return status == 0; }
};

/// Runs a program to its end and keeps what it prints. argv[0] is looked up in PATH.
ProgramOutput run_program(const std::vector<std::string>& argv, const ProgramLimits& limits);

/// Why a tool failed, of what it printed: from the first line on that begins as an error ("error: …", uv's "×"), else its
/// last lines; at most 2,000 bytes.
std::string error_lines(std::string_view printed);

}  // namespace rankscope
