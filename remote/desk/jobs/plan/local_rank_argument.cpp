// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/local_rank_argument.h>

#include <algorithm>
#include <iterator>

namespace rankscope::inline jobs {

void add_local_rank(std::vector<std::string>& command, LocalRankArgument argument) {
    if (argument == LocalRankArgument::None || command.empty()) {
        return;
    }
    auto place = std::find_if(command.begin(), command.end(),
                              [](const std::string& word) { return word.ends_with(".py") || word == "-m"; });
    if (place != command.end() && *place == "-m" && std::next(place) != command.end()) {
        ++place;
    }
    command.insert(place == command.end() ? place : std::next(place),
                   std::string(to_string(argument)) + "={local_rank}");
}

}  // namespace rankscope::inline jobs
