// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <remote/observe/metric_lines/learn_pattern.h>
#include <remote/observe/metric_lines/line_tokens.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// What the notice "lines-unread" says: a rank prints lines with numbers, and nothing reads them.
struct UnreadNotice {
    std::string pattern;                ///< reads them (pattern.h)
    std::vector<std::string> examples;  ///< a few of them, the newest last
    std::vector<std::string>
        fields;  ///< what the pattern takes from the last: "step=5", as `metrics learn` takes it

    /// As arguments of a notice, and back; nothing where they are not of this form.
    std::vector<std::string> args() const;
    static std::optional<UnreadNotice> of(const std::vector<std::string>& args);
    /// The series that the pattern gives, in the order of the line: without step and epoch.
    std::vector<std::string> series() const;
    /// The command that prints the section of the job that reads them.
    std::string learn_command() const;
    /// Not of kFailureIds: nothing fails.
    static FailureId id();

    bool operator==(const UnreadNotice&) const = default;
};

/// Lines that the program prints again and again with other numbers, and that nothing reads.
struct LineOffer {
    std::string line;                   ///< the last of them
    std::vector<Mark> marks;            ///< its numbers that change, with names
    std::string pattern;                ///< what learn_pattern makes of these
    std::vector<std::string> examples;  ///< the last few, `line` behind the others

    /// "step=5", "loss=0.31", or "loss=0.31@2" where the line has several of that number: as `metrics learn` takes it.
    std::vector<std::string> fields() const;
    UnreadNotice notice() const;
};

/// Finds such lines. Bounded: it follows the first kinds of lines of a rank only.
class UnreadLines {
public:
    void add(std::string_view line, const std::vector<Token>& tokens);
    /// After enough similar lines, after a while of fewer of them, or at the rank's end; once.
    std::optional<LineOffer> offer(double now_s, bool ended);

private:
    struct Number {
        double last = 0;
        bool changes = false;
        bool rises = true;
        bool whole = true;
    };
    struct Kind {
        std::size_t count = 0;
        std::vector<std::string> lines;  ///< the last few
        std::vector<Number> numbers;
    };
    static std::optional<LineOffer> offer_of(const Kind& kind);

    std::map<std::string, Kind, std::less<>> kinds_;  ///< by template
    double first_s_ = 0;
    bool any_ = false;
    bool offered_ = false;
};

}  // namespace rankscope::metric_lines
