// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// What an interpreter writes to stderr when its process dies of a signal (Python's faulthandler), or when it gives up itself.
struct CrashDump {
    std::string error;  ///< "Segmentation fault"; empty: there is none
    std::vector<std::string>
        frames;  ///< "train.py:41 in step", innermost first, of the thread that died; where that
                 ///< runs no Python, of the main thread

    /// "Segmentation fault (train.py:41 in step)": the first line outside of Python's own folders, if there is one.
    std::string reason() const;
    /// The error and all frames.
    std::vector<std::string> lines() const;
    /// Whether this is what the signal leaves behind: a process that the rank has started may have died before, of another one.
    bool fits(int signal) const;
};

/// Keeps the last dump of a stream.
class CrashDumpReader {
public:
    static constexpr std::size_t kFrames = 100;
    static constexpr std::size_t kLineLength = 1000;

    void feed(std::string_view text);
    CrashDump dump() const;

private:
    void take(std::string_view line);

    std::string partial_;
    bool inside_ = false;
    std::string error_;
    std::vector<std::string> died_;  // frames of the thread that died
    std::vector<std::string> last_;  // of the thread that was written last: the main thread
    enum class Section { None, Died, Other } section_ = Section::None;
};

}  // namespace rankscope::agent
