// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// A number of an example line that the user has marked.
struct Mark {
    std::string name;
    std::size_t begin = 0;
    std::size_t end = 0;  ///< behind the last character
};

/// Every number of the line that a mark can lie on, from left to right, without a name.
std::vector<Mark> numbers_to_mark(std::string_view line);

/// Where a value stands in the line: "0.31" as it is written there, "0.31@2" the second of several. On
/// failure *why says whether it is not there or there more than once.
std::optional<Mark> find_mark(std::string_view line, const std::string& name, const std::string& value,
                              std::string& why);

/// The pattern (pattern.h) that the line is an example of: marked numbers become {name}, all others {}, what
/// is text stays. A number that '%' follows becomes {name%}. Names with a digit in them stay as they are
/// where a value follows (acc1=), else their number may vary (node1). Ends behind the last mark.
std::optional<std::string> learn_pattern(std::string_view line, const std::vector<Mark>& marks,
                                         std::string& why);

}  // namespace rankscope::metric_lines
