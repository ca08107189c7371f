// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/rank_activity.h>

#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// A rank in the latest look, compared with the looks before.
struct RankSeen {
    std::string node = {};
    RankSnapshot state = {};
    RankActivity activity = {};
    bool advances =
        false;         ///< it, or what it has started, has used CPU time or moved data since the look before
    double since = 0;  ///< the first look of the unbroken row that shows this activity (monotonic seconds)
    double io_since = 0;    ///< since then its processes have read and written nothing
    double interval_s = 0;  ///< since the look before; 0: there was none
    int looks = 0;          ///< in that row
    int same_stacks = 0;    ///< stacks of the row in which the innermost function is the same
};

/// The looks at the ranks of a run, in order. Pure: times are passed in.
class RankLooks {
public:
    /// What one node has answered.
    void add(double now, const std::string& node, const std::vector<RankSnapshot>& ranks);
    /// The node does not answer: nothing is known of its ranks.
    void remove(const std::string& node);
    /// The run makes progress: what the ranks do now, they do since now.
    void begin_rows(double now);
    /// The run was continued or started again: nothing can be compared.
    void clear() { ranks_.clear(); }

    const std::map<int, RankSeen>& ranks() const { return ranks_; }

private:
    std::map<int, RankSeen> ranks_;
};

}  // namespace rankscope::inline runs
