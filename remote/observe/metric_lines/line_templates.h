// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/line_tokens.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// The fields of a line that differs from an earlier one only in its numbers, without taking the line apart again: a
/// training program prints few statements, each of them very often.
///
/// A template is the text with a mark for each number: whole or not, and with its count of digits where a digit follows
/// behind one of "-/.:,", since dates, clocks and groups of thousands depend on it. Lines with the same template have the
/// same tokens.
class LineTemplates {
public:
    /// The fields of `line`; null: no line like it was remembered. Valid until the next call.
    const LineFields* find(std::string_view line);
    /// Of many templates the last few stay. The tokens are those of the line.
    void remember(std::string_view line, const std::vector<Token>& tokens, const LineFields& fields);

private:
    struct Source {
        std::optional<std::size_t> number{};  ///< of the line; none: the template has it
        bool negative = false;
    };
    enum class Part : std::uint8_t { Value, Total, Average };
    /// Where a number of the line goes.
    struct Target {
        Source source;
        std::size_t field = 0;
        Part part = Part::Value;
    };
    struct Template {
        std::string text;
        std::size_t begin = 0;  ///< where its first number is
        LineFields fields;
        std::vector<Target> targets{};
    };

    bool take_apart(std::string_view line);
    void fill(Template& known) const;
    std::optional<std::vector<Source>> sources_of(const std::vector<Token>& tokens) const;

    std::vector<Template> templates_;
    std::size_t oldest_ = 0;
    std::uint64_t unused_ = 0;  ///< remembered since one was found
    // Of the line that was taken apart last.
    std::string text_;  ///< its template
    std::vector<std::string_view> numbers_;
    std::vector<double> values_;
};

}  // namespace rankscope::metric_lines
