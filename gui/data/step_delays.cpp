// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_delays.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

void StepDelays::add(std::int64_t step, double delay) {
    const auto at = double(step);
    if (!std::isfinite(delay) || (!knots_.empty() && at <= knots_.back().step)) {
        return;
    }
    // The last knot is always the newest report; the one before it keeps its distance.
    if (knots_.size() >= 2 && knots_.back().step - knots_[knots_.size() - 2].step < spacing_) {
        knots_.pop_back();
    }
    if (knots_.size() == kMost) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < knots_.size(); i += 2) {
            knots_[kept++] = knots_[i];
        }
        knots_.resize(kept);
        spacing_ = std::max(spacing_ * 2, 2.0);
    }
    knots_.push_back({at, delay});
}

void StepDelays::truncate_from(std::int64_t step) {
    while (!knots_.empty() && knots_.back().step >= double(step)) {
        knots_.pop_back();
    }
}

double StepDelays::at(double step) const {
    if (knots_.empty()) {
        return 0;
    }
    const auto after = std::lower_bound(knots_.begin(), knots_.end(), step,
                                        [](const Knot& knot, double s) { return knot.step < s; });
    if (after == knots_.begin() || after == knots_.end()) {
        return after == knots_.begin() ? knots_.front().delay : knots_.back().delay;
    }
    const Knot& before = *std::prev(after);
    const double share = (step - before.step) / (after->step - before.step);
    return before.delay + share * (after->delay - before.delay);
}

double time_of_step(const StepTrack& run, const StepDelays* delays, double step) {
    return run.at(step) + (delays ? delays->at(step) : 0);
}

// Delays are small beside the run, as a rule, so that the step of the run is near.
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
