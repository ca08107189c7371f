// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// A quantity that rises with the step: when the run reached it, how many samples it had seen by then. Straight
/// between its knots, of which it keeps at most kMost; both directions can be asked.
class StepTrack {
public:
    static constexpr std::size_t kMost = 4096;

    /// The first report of a step counts. A value below an earlier one (a clock that was set back) corrects what
    /// lies above it.
    void add(std::int64_t step, double value);
    /// The run returned to this step: forgets it and what followed.
    void truncate_from(std::int64_t step);

    bool empty() const { return knots_.empty(); }
    /// Beyond the knots: along the mean slope.
    double at(double step) const;
    double step_at(double value) const;

private:
    struct Knot {
        double step = 0;
        double value = 0;
    };
    double slope() const;

    std::vector<Knot> knots_;
    double spacing_ = 0;  ///< smallest distance of two knots, steps; grows when there are too many
};

}  // namespace rankscope::gui
