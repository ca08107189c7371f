// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_problem.h>
#include <base/config/phrase.h>
#include <base/text.h>

namespace rankscope::config {
std::string to_sentence(const ConfigProblem& problem) {
    return problem.remedy.empty() ? problem.message : problem.message + ". " + problem.remedy;
}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = nearest_word(word, known);
    const std::string all = phrase("Write one of: %1.", {joined(known)});
    return near.empty() ? all : phrase("Did you mean \"%1\"?", {near}) + ' ' + all;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = nearest_word(word, known);
    return near.empty() ? "" : "; did you mean \"" + near + "\"?";
}

}  // namespace rankscope::config
