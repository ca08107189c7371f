// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/step_track.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// How much later than the first rank one rank reached its steps, s. Straight between its knots, of which it keeps at
/// most kMost: 4 KiB a rank, 4.2 MB for 1,024. Pauses are in the track of the run, which all ranks share.
class StepDelays {
public:
    static constexpr std::size_t kMost = 256;

    /// The first report of a step counts.
    void add(std::int64_t step, double delay);
    /// The rank returned to this step: forgets it and what followed.
    void truncate_from(std::int64_t step);

    bool empty() const { return knots_.empty(); }
    /// Beyond the knots: as at the nearest one.
    double at(double step) const;
    /// Bytes on the heap.
    std::size_t bytes() const { return knots_.capacity() * sizeof(Knot); }

private:
    struct Knot {
        double step = 0;
        double delay = 0;
    };

    std::vector<Knot> knots_;
    double spacing_ = 0;  ///< smallest distance of two knots, steps; grows when there are too many
};

/// When a rank reached a step, s since 1970. `delays` may be null: the first rank to reach it.
double time_of_step(const StepTrack& run, const StepDelays* delays, double step);
double step_at_time(const StepTrack& run, const StepDelays* delays, double time);

}  // namespace rankscope::gui
