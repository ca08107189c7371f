// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/line_tokens.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// What a named number of a line counts.
enum class Counter {
    None,
    Epoch,
    Step,       ///< of the whole run, or of the epoch: programs call both so
    WholeStep,  ///< its name says that it is of the whole run: "global_step"
    Batch       ///< of the epoch, where there is one
};

/// A number of a line, and what the line calls it.
struct Field {
    std::string name;     ///< lower case, '_' between words; empty: the line has no name for it
    std::string printed;  ///< the same as the line has it
    double value = 0;
    std::optional<double> total{};  ///< "10/156": of so many
    std::string unit{};
    bool assigned = false;            ///< ':', '=' or "is" stands between name and number
    bool whole = false;               ///< digits only
    bool bracketed = false;           ///< "[10/156]"
    bool apart = false;               ///< blanks stand before it or its bracket, or the line begins with it
    bool in_call = false;             ///< "main(step=3)": source code, or a printed object
    bool validation = false;          ///< it says that it is about held-out data
    bool heads = false;               ///< the line begins with it and ':'
    std::optional<double> average{};  ///< "1.9 (2.3)": of a meter
    std::size_t token = 0;  ///< the number's place among the tokens; that of the total is two behind
    std::size_t average_token = 0;
    Counter counter = Counter::None;
    bool is_size_of_set =
        false;  ///< "Train steps: 32 Val steps: 8": how many both sets have; it counts nothing

    bool operator==(const Field&) const = default;
};

/// A line's numbers with their names, by position alone: "loss 0.3", "loss: 0.3", "loss=0.3", "lr=[1e-3, 1e-3]",
/// "tensor(0.3)", "10/156", "98.2 img/s". Times, and numbers inside the brackets behind a value, are left out.
struct LineFields {
    std::vector<Field> fields;
    std::vector<std::string> other_words;  ///< lower case: what names no number
    bool object = false;                   ///< "{…}" is all of the line
    bool validation = false;               ///< it says that it is about held-out data
    bool heads = false;                    ///< the line ends with ':'

    bool operator==(const LineFields&) const = default;
};

LineFields fields_of(const std::vector<Token>& tokens);
/// A word that can be the unit behind a number: "ms", "GiB", "samples/s".
bool is_unit(std::string_view word);
/// Behind a number, as a unit is: "1epoch".
bool is_counter_word(std::string_view word);

}  // namespace rankscope::metric_lines
