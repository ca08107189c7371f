// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/matcher.h>
#include <remote/logs/rules/rule.h>
#include <remote/logs/story/story.h>

#include <cstddef>
#include <vector>

namespace rankscope::logs {

/// A line of a fatal error that the program handled.
struct HandledError {
    std::size_t rule = 0;
    Match match = {};
};

/// Takes the lines of fatal rules out of `found` after which the same rank still makes progress, or whose rank ends with
/// code 0: the program caught the error, and something else is the cause. What ranks print without their number may be
/// of several, and a rank that failed lets the others end their step: that needs more advances.
std::vector<HandledError> take_handled_errors(const std::vector<Rule>& rules,
                                              std::vector<std::vector<SignatureMatches>>& found,
                                              const Story& story, bool several_ranks);

}  // namespace rankscope::logs
