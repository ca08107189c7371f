// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/line_fields.h>

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::metric_lines {

/// What a named number of a line counts.
enum class Counter {
    None,
    Epoch,
    Step,       ///< of the whole run, or of the epoch: programs call both so
    WholeStep,  ///< its name says that it is of the whole run: "global_step"
    Batch       ///< of the epoch, where there is one
};
Counter counter_of(const Field& field);

/// The series that a named number is a point of.
struct Series {
    std::string name;
    double factor = 1;
    bool telling = false;   ///< training programs use this word: "loss", "lr", "accuracy", …
    bool training = false;  ///< "train loss": of training, as opposed to validation
};
/// Nothing: a time, an amount of memory, the number of a rank, a word that is no name.
std::optional<Series> series_of(const Field& field, bool validation);

/// "val", "Test", …: the line is about held-out data.
bool says_validation(std::string_view word);

}  // namespace rankscope::metric_lines
