// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>
#include <remote/logs/rules/rule.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the logs of a run show.
struct LogFindings {
    std::vector<Verdict> verdicts = {};  ///< causes that are likely, the root cause first
    std::map<std::string, std::vector<std::string>> explains =
        {};                     ///< by id: its consequences; "nccl-*" is possible
    std::set<int> shared = {};  ///< ranks whose log has what any rank of their program may have written

    /// Whether the one failure brings about the other, as rules have it.
    bool explain(const Verdict& cause, const Verdict& consequence) const;
};

/// Of all that a diagnosis found, what is likely enough to be said of a run: causes, of confidence 0.5 and more.
/// `found`: the root cause first.
LogFindings likely_causes(std::vector<Verdict> found, const std::vector<logs::Rule>& rules);

/// One list, the root cause first, each cause once. What was measured stays first, unless the logs explain it; of a
/// cause that is in both, the measured verdict has the lines as its evidence. What a measured verdict explains is left
/// out: its ranks noticed it.
std::vector<Verdict> combined(std::vector<Verdict> measured, const LogFindings& logs);

}  // namespace rankscope::inline runs
