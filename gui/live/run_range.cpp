// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/live/run_range.h>
#include <gui/texts.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kSlack = 1e-3;  ///< steps: times are whole µs

}  // namespace

void RunRange::set(const TimeSpan& span) {
    if (span != span_) {
        span_ = span;
        emit changed();
    }
}

std::optional<StepSpan> steps_in(const LiveData& run, const TimeSpan& span) {
    if (run.step_times.empty()) {
        return {};
    }
    const double first = run.first_step();
    const double last = std::max(run.last_step(), first);
    StepSpan steps{first, last};
    if (span.from_us != TimeSpan::kOpenBegin) {
        steps.first =
            std::max(std::ceil(run.step_times.step_at(double(span.from_us) * 1e-6) - kSlack), first);
    }
    if (span.until_us != TimeSpan::kOpenEnd) {
        steps.last =
            std::min(std::floor(run.step_times.step_at(double(span.until_us) * 1e-6) + kSlack), last);
    }
    return steps;
}

QString range_text(const LiveData& run, const TimeSpan& span) {
    const std::optional<StepSpan> steps = steps_in(run, span);
    if (!steps || steps->first > steps->last) {
        return span_text(span);
    }
    const QString first = count_text(std::int64_t(steps->first));
    const QString last = count_text(std::int64_t(steps->last));
    if (span.from_us == TimeSpan::kOpenBegin) {
        return RunRange::tr("until step %1").arg(last);
    }
    if (span.until_us == TimeSpan::kOpenEnd) {
        return RunRange::tr("from step %1").arg(first);
    }
    return steps->first == steps->last ? RunRange::tr("step %1").arg(first)
                                       : RunRange::tr("steps %1–%2").arg(first, last);
}

}  // namespace rankscope::gui
