// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace rankscope::gui {

struct FuzzyMatch {
    int score = 0;               ///< higher is better; only matches of the same query compare
    std::vector<int> positions;  ///< of the letters that were found, ascending

    bool operator==(const FuzzyMatch&) const = default;
};

/// Finds each word of a query as letters in this order, with gaps: "opj" in "Open job". Beginnings of words and
/// letters in a row count more. Case does not matter; an empty query fits everything. Only the first 200 letters of
/// both are looked at.
std::optional<FuzzyMatch> fuzzy_match(const QString& query, const QString& text);

}  // namespace rankscope::gui
