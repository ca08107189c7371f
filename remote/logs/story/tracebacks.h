// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace rankscope::logs {

/// Where in the user's program an exception of Python was raised: the last frame of its traceback that is of no library.
class Tracebacks {
public:
    static constexpr std::size_t kMost = 4096;

    /// `process` prints the line; lines of several processes may be mixed.
    void take(const LogLine& line, std::size_t process);

    /// "train.py:141 (main)" for the line of an exception; empty: its traceback is not in the log.
    std::string frame_of(const LinePlace& place) const;

private:
    struct Open {
        std::string own = {};   ///< the last frame of the program
        std::string last = {};  ///< the last of all
    };

    std::unordered_map<std::size_t, Open> open_;  // by process
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> frames_;
};

}  // namespace rankscope::logs
