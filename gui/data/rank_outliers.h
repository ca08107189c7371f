// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/rank_grid.h>

#include <QString>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A rank that keeps away from the others.
struct RankOutlier {
    int rank = 0;
    double distance = 0;  ///< mean distance from the median of all ranks, in the metric's unit
    double share = 0;     ///< of the median; NaN where that is about zero
    double score = 0;     ///< distance in units of the ranks' spread

    bool operator==(const RankOutlier&) const = default;
};

/// Ranks whose mean distance from the median over the view is at least `threshold` times the spread that such
/// distances have (their median absolute deviation), the furthest first. Half of the ranks may be anything.
std::vector<RankOutlier> find_outliers(const RankGrid& grid, const GridView& view, std::size_t most = 8,
                                       double threshold = 6);

/// "rank 300: -35 %"; with the distance itself where the median is about zero.
QString outlier_text(const std::string& metric, const RankOutlier& outlier);

}  // namespace rankscope::gui
