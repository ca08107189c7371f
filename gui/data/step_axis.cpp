// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_axis.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

std::int64_t StepAxis::last_of(std::size_t run) const {
    const std::size_t end = run + 1 < runs_.size() ? runs_[run + 1].begin : size_;
    return runs_[run].first + std::int64_t(end - 1 - runs_[run].begin) * runs_[run].stride;
}

std::int64_t StepAxis::at(std::size_t i) const {
    const Run* run = &runs_.back();
    if (i < run->begin) {
        run = &*std::prev(std::upper_bound(runs_.begin(), runs_.end(), i,
                                           [](std::size_t index, const Run& r) { return index < r.begin; }));
    }
    return run->first + std::int64_t(i - run->begin) * run->stride;
}

void StepAxis::append(std::int64_t step) {
    if (runs_.empty()) {
        runs_.push_back({0, step, 0});
    } else if (Run& run = runs_.back(); size_ - run.begin == 1) {
        run.stride = step - run.first;
    } else if (step != run.first + std::int64_t(size_ - run.begin) * run.stride) {
        runs_.push_back({size_, step, 0});
    }
    ++size_;
}

void StepAxis::truncate(std::size_t size) {
    size_ = std::min(size_, size);
    while (!runs_.empty() && runs_.back().begin >= size_) {
        runs_.pop_back();
    }
    if (!runs_.empty() && size_ - runs_.back().begin == 1) {
        runs_.back().stride = 0;
    }
}

std::size_t StepAxis::lower_bound(double step) const {
    if (size_ == 0) {
        return 0;
    }
    // The run whose first step is the last one at or before `step`; what it lacks begins the next run.
    auto next = runs_.end();
    if (step < double(runs_.back().first)) {
        next = std::upper_bound(runs_.begin(), runs_.end(), step,
                                [](double s, const Run& r) { return s < double(r.first); });
        if (next == runs_.begin()) {
            return 0;
        }
    }
    const Run& run = *std::prev(next);
    const std::size_t end = next == runs_.end() ? size_ : next->begin;
    if (run.stride == 0) {
        return step > double(run.first) ? end : run.begin;
    }
    const double index = std::ceil((step - double(run.first)) / double(run.stride));
    return run.begin + std::size_t(std::min(std::max(index, 0.0), double(end - run.begin)));
}

}  // namespace rankscope::gui
