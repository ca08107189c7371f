// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// Tables that programs print while they train: a heading, then a row for each epoch or some steps. Columns are separated by
/// tabs, several blanks or bars ('|'); with names alone in the heading and a counter first, also by one blank. A row may end
/// in a progress bar (Ultralytics), and counts when the bar is full. A row without a counter ("all", "mean") is the
/// validation of the row before. Blocks of "| name | value |" between rules are a record each (Stable-Baselines3).
class TableRows {
public:
    struct Line {
        bool is_of_table = false;  ///< a heading, a row, or a row whose bar is not full yet
        std::optional<std::string>
            pairs{};  ///< of a full row: "epoch: 3/10, loss: 0.31", for the reader of such lines
    };
    Line read(std::string_view line);
    /// Any line may be a row.
    bool is_open() const { return in_block_ || !columns_.empty(); }

private:
    struct Column {
        std::string name;
        bool counts = false;  ///< epochs, steps
        bool telling =
            false;  ///< training programs use this name, or it has had a fraction: its whole numbers are values
    };
    Line take_block(std::string_view text, const std::vector<std::string_view>& cells);
    bool take_heading(const std::vector<std::string_view>& cells, bool apart);
    std::optional<std::string> pairs_of(const std::vector<std::string_view>& cells);

    std::vector<Column> columns_;
    bool counts_ = false;       ///< a column of the table does
    std::string counter_;       ///< "epoch: 3/10" of the last row that had one
    std::uint64_t others_ = 0;  ///< lines since the last one of the table
    bool in_block_ = false;
    std::string section_;  ///< "rollout/" of a block
    std::set<std::string, std::less<>>
        fractions_;            ///< names of such lines whose whole numbers are values, too
    std::string block_count_;  ///< "step: 4096"
    std::string block_;
};

}  // namespace rankscope::metric_lines
