// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

/// One fault of a configuration: the key, what is wrong with it and what would be right.
struct ConfigProblem {
    std::string path;          ///< key, for example "optimizer.lr"; empty: the whole
    std::string message;       ///< what is wrong, without the key and a full stop
    std::string remedy;        ///< what to write instead, whole sentences
    int line = 0;              ///< from 1; 0: unknown
    bool unknown_key = false;  ///< the key means nothing here; all others can be read all the same

    bool operator==(const ConfigProblem&) const = default;
};

using ConfigProblems = std::vector<ConfigProblem>;

/// "\"two\" is not a whole number. Give a whole number from 1."
std::string to_sentence(const ConfigProblem& problem);

/// "Did you mean \"x\"? Write one of: x, y."; the question only where a name is near.
std::string suggest(std::string_view word, const std::vector<std::string>& known);
/// "; did you mean \"x\"?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace rankscope::config
