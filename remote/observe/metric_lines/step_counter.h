// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace rankscope::metric_lines {

/// Makes steps of the run, counted through all epochs, and epochs from 1 of what the lines of one program
/// say. A program that counts epochs from 0 gives itself away by its first line; where an epoch's length is
/// not known, it is what was seen of the one before.
class StepCounter {
public:
    struct Place {
        std::optional<std::int64_t> step;
        std::optional<double> epoch;
    };
    Place place(const Reading& reading);
    /// How far a bar without values is: Hugging Face's lines have no step of their own. Of several bars the one
    /// with the most steps counts those of the run.
    void bar(double done, std::optional<double> total);
    /// How far a bar without length is, of this epoch: where it falls back, the epoch before has ended.
    void drawn(double in_epoch);
    bool has_bar() const { return bar_.has_value(); }
    /// The step that the run is at; 0 before the first.
    double last() const { return last_; }

private:
    std::optional<double> count(const Reading& reading);
    void take_base(const Reading& reading);
    double finished_epochs(const Reading& reading);
    double behind_unknown_epochs(double in_epoch, double epochs_before);
    double through_restarts(const Reading& reading);
    std::optional<double> beside_steps(const Reading& reading);

    std::optional<double> base_;  ///< what the program calls its first epoch
    std::optional<double> last_epoch_;
    double wraps_ = 0;      ///< epochs without a number: the count within has restarted
    double in_epoch_ = 0;   ///< the last one
    double stride_ = 1;     ///< between two lines of an epoch
    double offset_ = 0;     ///< steps of the epochs before, where their length is not known
    double offset_of_ = 0;  ///< how many epochs that is
    double drawn_ = 0;      ///< by a bar without length
    double drawn_stride_ = 1;
    double drawn_to_ = 0;  ///< by that of the epoch before
    double last_ = 0;
    double last_counted_epoch_ = 0;
    bool stepped_ = false;                ///< something counts finer than epochs
    std::set<std::string> before_steps_;  ///< series of a validation before the first step
    std::optional<double> bar_;
    double bar_total_ = 0;
};

}  // namespace rankscope::metric_lines
