// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/text.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankscope::metric_lines {

/// A cursor over one line. Each step either succeeds and moves on, or leaves the cursor where it was; so a
/// reader is a chain of && that goes over the line once.
class Scan {
public:
    explicit Scan(std::string_view line) : rest_(line) {}

    std::string_view rest() const { return rest_; }
    bool at_end() const { return rest_.empty(); }
    void spaces();
    /// Exactly this text.
    bool text(std::string_view literal);
    /// This text, with spaces before and after as many as there are.
    bool word(std::string_view literal);
    /// Behind the first occurrence of this text.
    bool past(std::string_view literal);
    /// Spaces, then a number: "1", "-2.5", "1e-4", ".5", "nan", "inf". By the C locale.
    std::optional<double> number();
    /// Spaces, then digits only.
    std::optional<double> whole();
    /// "[ 50/196]".
    bool fraction(std::optional<double>& done, std::optional<double>& total);
    /// Up to one of these characters (not over it); everything if none comes.
    std::string_view until(std::string_view characters);

private:
    std::string_view rest_;
};

/// How many characters from the start of `text` make a number; 0: none.
std::size_t number_length(std::string_view text);
/// The number that `text` is as a whole.
std::optional<double> to_number(std::string_view text);
}  // namespace rankscope::metric_lines
