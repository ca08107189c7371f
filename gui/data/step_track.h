// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::gui {

/// Values by step, straight between knots. With too many of them every second one goes.
class StepKnots {
public:
    explicit StepKnots(std::size_t most) : most_(most) {}

    /// The run or the rank returned to this step: forgets it and what followed.
    void truncate_from(std::int64_t step);
    bool empty() const { return knots_.empty(); }
    /// Bytes on the heap.
    std::size_t bytes() const { return knots_.capacity() * sizeof(Knot); }

protected:
    struct Knot {
        double step = 0;
        double value = 0;
    };
    /// The first report of a step counts.
    bool is_new(std::int64_t step, double value) const;
    void push(Knot knot);
    /// Beyond the knots: along `slope` from the nearest one.
    double interpolated(double step, double slope) const;

    std::vector<Knot> knots_;

private:
    std::size_t most_;
    double spacing_ = 0;  ///< smallest distance of two knots, steps; grows when there are too many
};

/// A quantity that rises with the step: when the run reached it, how many samples it had seen by then. It keeps at most
/// kMost knots; both directions can be asked.
class StepTrack : public StepKnots {
public:
    static constexpr std::size_t kMost = 4096;

    StepTrack() : StepKnots(kMost) {}
    /// A value below an earlier one (a clock that was set back) corrects what lies above it.
    void add(std::int64_t step, double value);
    /// Beyond the knots: along the mean slope.
    double at(double step) const { return empty() ? step : interpolated(step, slope()); }
    double step_at(double value) const;

private:
    double slope() const;
};

/// How much later than the first rank one rank reached its steps, s. It keeps at most kMost knots: 4 KiB a rank, 4.2 MB for
/// 1,024. Pauses are in the track of the run, which all ranks share.
class StepDelays : public StepKnots {
public:
    static constexpr std::size_t kMost = 256;

    StepDelays() : StepKnots(kMost) {}
    void add(std::int64_t step, double delay);
    /// Beyond the knots: as at the nearest one.
    double at(double step) const { return empty() ? 0 : interpolated(step, 0); }
};

/// When a rank reached a step, s since 1970. `delays` may be null: the first rank to reach it.
double time_of_step(const StepTrack& run, const StepDelays* delays, double step);
double step_at_time(const StepTrack& run, const StepDelays* delays, double time);

}  // namespace rankscope::gui
