// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// The value of a name of a rule's text; empty: it is not known.
using ValueOf = std::function<std::string(std::string_view name)>;

/// The text with a value for each {name}; nothing if one is not known.
std::optional<std::string> complete_text(const std::string& text, const ValueOf& value_of);

/// A title. Without a value a part of the sentence is left out, or a general word is used:
/// "{peer} refuses port {port} ({why})." → "Another node refuses a port."
std::string title_text(const std::string& text, const ValueOf& value_of);

/// Where a fault is, as far as it is known.
struct TitlePlace {
    std::string node = {};
    std::vector<int> ranks = {};
    int rank = -1;
    int local_rank = -1;  ///< where the rank is not known
    std::string device = {};
};

/// The title with what it does not name of the place: "The memory of a GPU is defective. Place: rank 12, node-a, GPU 3."
std::string with_place(std::string title, const TitlePlace& place);

/// A step of a fix. A value, which a log says, is one quoted word. Without one, or where it can be no word of a command,
/// the user reads what to put there: "On NODE: ss -ltn sport = :PORT".
std::string fix_text(const std::string& text, const ValueOf& value_of);

}  // namespace rankscope::logs
