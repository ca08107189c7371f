// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// What a script takes from outside, by its text: variables that it reads and never sets, arguments.
struct ScriptNeeds {
    std::vector<std::string> missing = {};              ///< "1", "CODE": without a value
    std::map<std::string, std::string> variables = {};  ///< given, or their own text: "${CODE}"
    std::vector<std::string> arguments = {};  ///< given, or their own text: "$1"; with a default: empty
    bool takes_arguments = false;             ///< "$@"
};

/// `given`: values by name, "1" for the first argument; `known`: what the script finds in its environment anyway.
ScriptNeeds needs_of(const std::string& script, const std::map<std::string, std::string>& given,
                     const std::map<std::string, std::string>& known);

}  // namespace rankscope::inline jobs::launch_lines
