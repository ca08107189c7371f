// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/line_fields.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rankscope::metric_lines {

/// For fields_of(), and for those who make a field of their own.
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

/// series_of() of the fields that it has met: a program names its values the same in each of its lines.
class KnownSeries {
public:
    /// Valid until the next call.
    const std::optional<Series>& of(const Field& field, bool validation);

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
    };
    std::unordered_map<std::string, std::optional<Series>, Hash, std::equal_to<>> known_;
    std::string key_;
};

/// "val", "Test", …: the line is about held-out data.
bool says_validation(std::string_view word);

}  // namespace rankscope::metric_lines
