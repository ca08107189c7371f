// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_columns.h>
#include <remote/desk/runs/store/run_labels.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline archive {

/// By what a list of runs is taken together: "tag", "group", "name", or a column ("job:train.batch_size").
struct RunGrouping {
    enum class By { Tag, Group, Name, Column };
    By by = By::Name;
    RunColumn column{};

    bool operator==(const RunGrouping&) const = default;
    std::string id() const;
    /// The groups a run is in: several with several tags; one with an empty name where it has none.
    std::vector<std::string> groups_of(const RunRecord& run, const RunLabels& labels,
                                       const RunSummary* summary) const;
};

std::optional<RunGrouping> run_grouping(std::string_view id);

/// "0.312 ± 0.004"; of one value "0.312"; empty without values.
std::string to_text(const Spread& spread);

}  // namespace rankscope::inline archive
