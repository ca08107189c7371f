// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_track.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

bool StepKnots::is_new(std::int64_t step, double value) const {
    return std::isfinite(value) && (knots_.empty() || double(step) > knots_.back().step);
}

void StepKnots::push(Knot knot) {
    // The last knot is always the newest report; the one before it keeps its distance.
    if (knots_.size() >= 2 && knots_.back().step - knots_[knots_.size() - 2].step < spacing_) {
        knots_.pop_back();
    }
    if (knots_.size() == most_) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < knots_.size(); i += 2) {
            knots_[kept++] = knots_[i];
        }
        knots_.resize(kept);
        spacing_ = std::max(spacing_ * 2, 2.0);
    }
    knots_.push_back(knot);
}

void StepKnots::truncate_from(std::int64_t step) {
    while (!knots_.empty() && knots_.back().step >= double(step)) {
        knots_.pop_back();
    }
}

double StepKnots::interpolated(double step, double slope) const {
    const auto after = std::lower_bound(knots_.begin(), knots_.end(), step,
                                        [](const Knot& knot, double s) { return knot.step < s; });
    if (after == knots_.begin() || after == knots_.end()) {
        const Knot& end = after == knots_.begin() ? knots_.front() : knots_.back();
        return end.value + (step - end.step) * slope;
    }
    const Knot& before = *std::prev(after);
    const double share = (step - before.step) / (after->step - before.step);
    return before.value + share * (after->value - before.value);
}

void StepTrack::add(std::int64_t step, double value) {
    if (!is_new(step, value)) {
        return;
    }
    while (!knots_.empty() && knots_.back().value > value) {
        knots_.pop_back();
    }
    push({double(step), value});
}

double StepTrack::slope() const {
    const double steps = knots_.back().step - knots_.front().step;
    const double rise = knots_.back().value - knots_.front().value;
    return steps > 0 && rise > 0 ? rise / steps : 1;
}

double StepTrack::step_at(double value) const {
    if (knots_.empty()) {
        return value;
    }
    const auto after = std::lower_bound(knots_.begin(), knots_.end(), value,
                                        [](const Knot& knot, double v) { return knot.value < v; });
    if (after == knots_.begin() || after == knots_.end()) {
        const Knot& end = after == knots_.begin() ? knots_.front() : knots_.back();
        return end.step + (value - end.value) / slope();
    }
    const Knot& before = *std::prev(after);  // after->value >= value > before.value
    const double share = (value - before.value) / (after->value - before.value);
    return before.step + share * (after->step - before.step);
}

void StepDelays::add(std::int64_t step, double delay) {
    if (is_new(step, delay)) {
        push({double(step), delay});
    }
}

double time_of_step(const StepTrack& run, const StepDelays* delays, double step) {
    return run.at(step) + (delays ? delays->at(step) : 0);
}

// Delays are usually small compared with the run, so the step of the run is near.
double step_at_time(const StepTrack& run, const StepDelays* delays, double time) {
    const double latest = run.step_at(time);
    if (!delays || delays->empty()) {
        return latest;
    }
    // The rank was there no earlier than the first one: its step lies below. Found by halves, since the time rises.
    double low = latest;
    double high = latest;
    for (double reach = 1; time_of_step(run, delays, low) > time && reach < 1e15; reach *= 2) {
        high = low;
        low = latest - reach;
    }
    for (double reach = 1; time_of_step(run, delays, high) < time && reach < 1e15; reach *= 2) {
        low = high;
        high = latest + reach;
    }
    for (int i = 0; i < 60 && high - low > 1e-6; ++i) {
        const double middle = low + (high - low) / 2;
        (time_of_step(run, delays, middle) < time ? low : high) = middle;
    }
    return high;
}

}  // namespace rankscope::gui
