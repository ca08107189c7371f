// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::metric_lines {

/// What one line of a known shape says, in the program's own counting; StepCounter makes steps of the run of
/// it.
struct Reading {
    std::optional<double> step;       ///< of the whole run
    std::optional<double> in_epoch;   ///< steps of this epoch that are done
    std::optional<double> per_epoch;  ///< how many an epoch has
    std::optional<double> epoch;      ///< from 0 or from 1, as the program counts
    std::optional<double> epochs;
    std::optional<double> steps;     ///< of the whole run
    std::optional<double> behind{};  ///< a validation, or once an epoch: the step it came after; the last one
    bool epoch_is_done_share =
        false;  ///< epoch counts finished epochs with fractions (0.5: in the middle of the first)
    bool epoch_is_shown =
        false;  ///< next to a bar, whose count may be of the run: only a fall of the count begins an epoch
    bool validation = false;     ///< belongs behind the last step, and is none of its own
    bool counted = false;        ///< no number names the step: each such line is one more
    bool may_restart = false;    ///< step may begin again with each epoch: programs call both so
    bool once_an_epoch = false;  ///< belongs to an epoch; a step of its own only where nothing else has steps
    bool before_its_bar = false;                         ///< the bar that is drawn next has the step
    std::vector<std::pair<std::string, double>> values;  ///< keys as metrics_line.h names them where it does

    void add(std::string key, std::optional<double> value, double factor = 1) {
        if (value) {
            values.emplace_back(std::move(key), *value * factor);
        }
    }
    /// The reading, if the line has brought a value.
    std::optional<Reading> if_any() const { return values.empty() ? std::nullopt : std::optional(*this); }
};

}  // namespace rankscope::metric_lines
