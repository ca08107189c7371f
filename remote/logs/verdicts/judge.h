// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>
#include <remote/logs/facts/run_facts.h>
#include <remote/logs/rules/matcher.h>
#include <remote/logs/rules/rule.h>
#include <remote/logs/story/host_clocks.h>
#include <remote/logs/story/story.h>
#include <remote/logs/verdicts/handled_errors.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::logs {

struct Judgement {
    std::vector<HandledError> handled = {};  ///< errors after which the program made progress
    std::vector<Verdict> verdicts =
        {};  ///< the root cause first, then less likely ones; empty: nothing is wrong
    /// Signatures (rule, signature) whose conditions hold. True: of a cause that no other explains.
    std::map<std::pair<std::size_t, std::size_t>, bool> applied = {};
};

/// What rules say of lines that were read. `found` is of Matcher::finish, and hosts and ranks that other lines say
/// are added to it; its times and those of the story become those of corrected clocks. `sources` are the names of the
/// files, by LinePlace::file.
Judgement judge(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>>& found,
                Story& story, const RunFacts& facts, const HostClocks& clocks,
                const std::vector<std::string>& sources);

}  // namespace rankscope::logs
