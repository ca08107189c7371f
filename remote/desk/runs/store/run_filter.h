// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Which runs of a list are shown. All that is set has to fit.
struct RunFilter {
    std::vector<std::string> words = {};  ///< each in id, name, nodes, labels or job, whatever the case
    std::string group = {};               ///< empty: any
    std::vector<std::string> tags = {};   ///< all of them
    bool starred = false;                 ///< only these

    bool fits(const RunRecord& run, const RunLabels& labels) const;
};

/// What a user writes into one line: words, and "tag:NAME", "group:NAME", "is:starred".
RunFilter run_filter_of(const std::string& line);

}  // namespace rankscope::inline runs
