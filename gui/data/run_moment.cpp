// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/data/run_moment.h>
#include <gui/data/x_scale.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kMostSeconds = 9e12;  ///< as µs still a whole number of 64 bits

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunMoment)
};

std::int64_t to_us(double seconds) {
    return std::llround(std::clamp(seconds, -kMostSeconds, kMostSeconds) / kMicro);
}

double last_of(const LiveData& run) {
    return std::max(run.last_step(), run.first_step());
}

QString clock_text(std::int64_t t_us, bool with_date, bool with_ms) {
    const QString format =
        (with_date ? u"yyyy-MM-dd "_s : QString()) + (with_ms ? u"HH:mm:ss.zzz"_s : u"HH:mm:ss"_s);
    return QDateTime::fromMSecsSinceEpoch(t_us / 1000).toString(format);
}

}  // namespace

std::optional<RunMoment> moment_of_time(const LiveData& run, std::int64_t t_us, int rank) {
    if (t_us <= 0 || run.step_times.empty()) {
        return {};
    }
    double first = run.first_step();
    double last = last_of(run);
    // A rank that stays behind had not got as far as the first one by then.
    if (rank >= 0 && std::size_t(rank) < run.series.size() && !run.series[std::size_t(rank)].empty()) {
        const MetricSeries& of_rank = run.series[std::size_t(rank)];
        first = std::clamp(of_rank.first_step(), first, last);
        last = std::clamp(of_rank.last_step(), first, last);
    }
    const double step = step_at_time(run.step_times, run.delays_of(rank), double(t_us) * kMicro);
    return RunMoment{t_us, std::clamp(std::round(step), first, last), rank};
}

std::optional<RunMoment> moment_of_x(const LiveData& run, const XScale& scale, double x, int rank) {
    if (run.step_times.empty() || !std::isfinite(x)) {
        return {};
    }
    const double there = scale.step_at(x, rank);
    const double step = std::clamp(std::round(there), run.first_step(), last_of(run));
    const double time = time_of_step(run.step_times, run.delays_of(rank), scale.is_timed() ? there : step);
    return RunMoment{to_us(time), step, rank};
}

double x_of_moment(const LiveData& run, const XScale& scale, const RunMoment& moment) {
    const double first = scale.of_step(run.first_step());
    const double last =
        std::max({scale.of_step(last_of(run)), scale.of_step(last_of(run), moment.rank), first});
    return std::clamp(scale.of_moment(moment.step, moment.t_us), first, last);
}

double x_of_time(const LiveData& run, const XScale& scale, std::int64_t t_us) {
    return scale.of_moment(run.step_times.step_at(double(t_us) * kMicro), t_us);
}

std::optional<TimeSpan> span_of_x(const LiveData& run, const XScale& scale, double lower, double upper) {
    if (run.step_times.empty() || !(lower < upper)) {
        return {};
    }
    const double first = scale.step_at(lower);
    const double last = scale.step_at(upper);
    TimeSpan span{to_us(run.step_times.at(first)), to_us(run.step_times.at(last))};
    if (!scale.is_timed()) {
        span.from_us = first <= scale.first_step(run.first_step()) ? TimeSpan::kOpenBegin : span.from_us;
        span.until_us = last >= last_of(run) ? TimeSpan::kOpenEnd : span.until_us;
    }
    return span;
}

QString moment_clock_text(const RunMoment& moment) {
    return clock_text(moment.t_us, false, false);
}

QString moment_text(const RunMoment& moment) {
    const QString at = clock_text(moment.t_us, true, false);
    const QString step = count_text(std::int64_t(moment.step));
    return moment.rank >= 0 ? Words::tr("%1, step %2, rank %3").arg(at, step).arg(moment.rank)
                            : Words::tr("%1, step %2").arg(at, step);
}

QString span_text(const TimeSpan& span) {
    if (span.from_us == TimeSpan::kOpenBegin && span.until_us == TimeSpan::kOpenEnd) {
        return Words::tr("all times");
    }
    if (span.from_us == TimeSpan::kOpenBegin) {
        return Words::tr("until %1").arg(clock_text(span.until_us, false, false));
    }
    if (span.until_us == TimeSpan::kOpenEnd) {
        return Words::tr("from %1").arg(clock_text(span.from_us, false, false));
    }
    constexpr std::int64_t kShort = 10'000'000;
    const bool with_date =
        clock_text(span.from_us, true, false).left(10) != clock_text(span.until_us, true, false).left(10);
    const bool with_ms = span.until_us - span.from_us < kShort;
    return Words::tr("%1 – %2").arg(clock_text(span.from_us, with_date, with_ms),
                                    clock_text(span.until_us, with_date, with_ms));
}

}  // namespace rankscope::gui
