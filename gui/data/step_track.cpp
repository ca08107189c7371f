// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_track.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

void StepTrack::add(std::int64_t step, double value) {
    const auto at = double(step);
    if (!std::isfinite(value) || (!knots_.empty() && at <= knots_.back().step)) {
        return;
    }
    while (!knots_.empty() && knots_.back().value > value) {
        knots_.pop_back();
    }
    // The last knot is always the newest report; the one before it keeps its distance.
    if (knots_.size() >= 2 && knots_.back().step - knots_[knots_.size() - 2].step < spacing_) {
        knots_.pop_back();
    }
    knots_.push_back({at, value});
    if (knots_.size() > kMost) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i + 1 < knots_.size(); i += 2) {
            knots_[kept++] = knots_[i];
        }
        knots_[kept++] = knots_.back();
        knots_.resize(kept);
        spacing_ = std::max(spacing_ * 2, 2.0);
    }
}

void StepTrack::truncate_from(std::int64_t step) {
    while (!knots_.empty() && knots_.back().step >= double(step)) {
        knots_.pop_back();
    }
}

double StepTrack::slope() const {
    const double steps = knots_.back().step - knots_.front().step;
    const double rise = knots_.back().value - knots_.front().value;
    return steps > 0 && rise > 0 ? rise / steps : 1;
}

double StepTrack::at(double step) const {
    if (knots_.empty()) {
        return step;
    }
    const auto after = std::lower_bound(knots_.begin(), knots_.end(), step,
                                        [](const Knot& knot, double s) { return knot.step < s; });
    if (after == knots_.begin() || after == knots_.end()) {
        const Knot& end = after == knots_.begin() ? knots_.front() : knots_.back();
        return end.value + (step - end.step) * slope();
    }
    const Knot& before = *std::prev(after);
    const double share = (step - before.step) / (after->step - before.step);
    return before.value + share * (after->value - before.value);
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

}  // namespace rankscope::gui
