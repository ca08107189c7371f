// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>
#include <remote/logs/rules/matcher.h>
#include <remote/logs/rules/rule.h>
#include <remote/logs/story/story.h>

#include <string>
#include <vector>

namespace rankscope::logs {

/// What rules say of lines that were read: the root cause first, then less likely ones. Empty: nothing is wrong.
/// `found` is of Matcher::finish; `sources` are the names of the files, by LinePlace::file.
std::vector<Verdict> judge(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>> found,
                           Story& story, const std::vector<std::string>& sources);

}  // namespace rankscope::logs
