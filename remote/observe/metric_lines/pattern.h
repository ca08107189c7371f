// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

inline constexpr std::size_t kMaxPatterns = 64;

/// A line of a program's own making, as text with places for numbers:
///
///     it {step}/{} took {} s, loss {loss}, right {acc1%}
///
/// `{name}` is a number that becomes the series `name`; `{name%}` one that is divided by 100; `{}` a number
/// that does not matter; `{*}` any text; `{{` a brace. A space stands for any number of spaces, none at the
/// line's start matter, and what follows the last part may be anything. step, epoch, epochs, step_in_epoch
/// and steps_per_epoch place the line in the run.
///
/// Matching never takes more than (length of the line) × (length of the pattern): only `{*}` tries several
/// places, and only the last one met.
class Pattern {
public:
    static std::optional<Pattern> compile(const std::string& text, std::string* why = nullptr);
    std::optional<Reading> match(std::string_view line) const;
    const std::string& text() const { return text_; }

private:
    struct Part {
        enum class Kind { Literal, Spaces, Number, Any } kind = Kind::Literal;
        std::string text;  ///< the literal, or the number's name
        bool percent = false;
    };
    bool add_place(std::string_view inside, std::string& why);
    bool check_names(std::string& why) const;

    std::string text_;
    std::vector<Part> parts_;
};

}  // namespace rankscope::metric_lines
