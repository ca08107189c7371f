// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>

#include <cstddef>
#include <optional>
#include <string>

namespace rankscope::logs {

/// Joins an error with the next lines where a terminal, from which it was copied, broke it: a long line that looks like
/// an error, and what follows it without a prefix of its own and in the middle of a sentence.
class WrappedLines {
public:
    /// The whole error, if `line` continues one: its first line with the text and the message of all. Its views live until
    /// the next call.
    std::optional<LogLine> take(const LogLine& line);
    /// The first line as the file has it, and its process as keep() took it.
    const std::string& first_text() const { return first_; }
    std::size_t process() const { return process_; }
    /// Remembers a line that may go on in the next one; `process` prints it.
    void keep(const LogLine& line, std::size_t process);

private:
    static constexpr std::size_t kShortest = 60;  // characters: narrower terminals are rare
    static constexpr std::size_t kMostLines = 6;

    std::string first_;  // of the error that may go on; empty: none
    std::string text_;   // of all its lines so far
    std::string host_, part_, view_, source_;
    LogLine line_;             // the first one; its views are replaced
    std::size_t message_ = 0;  // where in text_ the message begins
    std::size_t width_ = 0;    // of the line before
    std::size_t lines_ = 0;
    std::size_t process_ = 0;
};

}  // namespace rankscope::logs
