// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/step_counter.h>

#include <algorithm>
#include <cmath>

namespace rankscope::metric_lines {
namespace {

constexpr double kMost = 1e15;  // whole numbers are exact, and a line of nonsense stays one

}  // namespace

void StepCounter::take_base(const Reading& reading) {
    if (reading.epoch && !base_) {
        base_ = *reading.epoch < 1 ? 0 : 1;
    }
}

double StepCounter::finished_epochs(const Reading& reading) {
    take_base(reading);
    if (reading.epoch && !reading.epoch_is_shown) {
        return std::max(0.0, *reading.epoch - *base_);
    }
    if (reading.in_epoch && *reading.in_epoch < in_epoch_) {
        wraps_ += 1;
    }
    return wraps_;
}

double StepCounter::behind_unknown_epochs(double in_epoch, double epochs_before) {
    if (epochs_before > offset_of_) {
        // Lines every `stride` steps: the epoch continued behind the last one, by less than a stride.
        offset_ += drawn_to_ > 0 ? drawn_to_ : in_epoch_ + stride_ - 1;
        offset_of_ = epochs_before;
    } else if (in_epoch > in_epoch_) {
        stride_ = in_epoch - in_epoch_;
    }
    return offset_ + in_epoch;
}

// Steps that may begin again with each epoch: they do where they fall back as the epoch rises or, without one, to
// their beginning. Further back is a checkpoint.
double StepCounter::through_restarts(const Reading& reading) {
    const double step = *reading.step;
    const double epoch = reading.epoch.value_or(0);
    const bool next_epoch = reading.epoch ? epoch > last_counted_epoch_ : step <= stride_;
    if (step < in_epoch_ && next_epoch) {
        offset_ += reading.per_epoch.value_or(in_epoch_ + stride_ - step);
    } else if (step > in_epoch_) {
        stride_ = step - in_epoch_;
    }
    in_epoch_ = step;
    last_counted_epoch_ = epoch;
    return offset_ + step;
}

// Of what has no step of its own.
std::optional<double> StepCounter::beside_steps(const Reading& reading) {
    if (reading.once_an_epoch && !stepped_) {
        return reading.epoch ? std::optional(*reading.epoch + 1 - base_.value_or(1)) : std::nullopt;
    }
    const double step = reading.behind.value_or(last_);
    if (step <= 0 && !bar_ && reading.validation && reading.epoch.value_or(0) <= 0) {
        // Before the first step, once: where no step is ever read, the values of all validations remain.
        const bool first =
            std::all_of(reading.values.begin(), reading.values.end(),
                        [this](const auto& value) { return before_steps_.insert(value.first).second; });
        return first ? std::optional(0.0) : std::nullopt;
    }
    return step > 0 ? std::optional(step) : bar_;
}

void StepCounter::bar(double done, std::optional<double> total) {
    if (total.value_or(0) >= bar_total_) {
        bar_total_ = total.value_or(0);
        bar_ = done;
    }
}

void StepCounter::drawn(double in_epoch) {
    if (in_epoch < drawn_) {
        drawn_to_ = drawn_ + drawn_stride_ - 1;
    } else if (in_epoch > drawn_) {
        drawn_stride_ = in_epoch - drawn_;
    }
    drawn_ = in_epoch;
}

std::optional<double> StepCounter::count(const Reading& reading) {
    if (reading.epoch && !reading.epoch_is_done_share) {
        take_base(reading);
    }
    if (!reading.step && (reading.validation || reading.once_an_epoch)) {
        return beside_steps(reading);
    }
    stepped_ = stepped_ || reading.step || reading.in_epoch || reading.counted;
    if (reading.step) {
        return reading.may_restart ? through_restarts(reading) : *reading.step;
    }
    if (reading.in_epoch) {
        const double before = finished_epochs(reading);
        const double step = reading.per_epoch && *reading.per_epoch > 0
                                ? before * *reading.per_epoch + *reading.in_epoch
                                : behind_unknown_epochs(*reading.in_epoch, before);
        in_epoch_ = *reading.in_epoch;
        return step;
    }
    if (reading.counted) {
        return bar_ && *bar_ > last_ ? *bar_ : last_ + 1;
    }
    return std::nullopt;
}

StepCounter::Place StepCounter::place(const Reading& reading) {
    Place place;
    const auto step = count(reading);
    if (step && *step >= 0 && *step < kMost) {
        const bool beside = !reading.step && (reading.validation || (reading.once_an_epoch && stepped_));
        if (!beside) {
            last_ = *step;
        }
        place.step = static_cast<std::int64_t>(*step);
    }
    if (reading.epoch && std::abs(*reading.epoch) < kMost) {
        last_epoch_ = reading.epoch_is_done_share ? *reading.epoch : *reading.epoch + 1 - base_.value_or(1);
    } else if (reading.in_epoch && !reading.epoch) {
        last_epoch_ = wraps_ + 1;
    }
    place.epoch = last_epoch_;
    return place;
}

}  // namespace rankscope::metric_lines
