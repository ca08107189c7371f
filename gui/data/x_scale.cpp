// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/data/x_scale.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(XScale)
};

constexpr std::array kUnits{XUnit::Step, XUnit::Epoch, XUnit::Elapsed, XUnit::Clock, XUnit::Samples};
constexpr double kPerMicrosecond = 1e-6;
constexpr double kSmallestX = 1e-6;  ///< the least value on a logarithmic scale: smaller ones are drawn there
constexpr double kMostDecades = 18;  ///< as a whole number of 64 bits
constexpr double kWideRatio = 8;
constexpr double kFarSeconds = 4e11;  ///< beyond what a calendar shows

bool is_known(const LiveData& run, XUnit unit) {
    switch (unit) {
        case XUnit::Step:
            return true;
        case XUnit::Epoch:
            return run.state.steps_per_epoch > 0;
        case XUnit::Elapsed:
        case XUnit::Clock:
            return !run.step_times.empty();
        case XUnit::Samples:
            return !run.step_samples.empty();
    }
    return false;
}

}  // namespace

QString x_unit_text(XUnit unit) {
    switch (unit) {
        case XUnit::Step:
            break;
        case XUnit::Epoch:
            return Words::tr("Epoch");
        case XUnit::Elapsed:
            return Words::tr("Time since start");
        case XUnit::Clock:
            return Words::tr("Clock");
        case XUnit::Samples:
            return Words::tr("Samples");
    }
    return Words::tr("Step");
}

QString x_unit_key(XUnit unit) {
    constexpr std::array keys{"step", "epoch", "seconds", "time", "samples"};
    return QString::fromLatin1(keys[std::size_t(unit)]);
}

XUnit x_unit_of(const QString& key) {
    const auto at =
        std::find_if(kUnits.begin(), kUnits.end(), [&](XUnit unit) { return x_unit_key(unit) == key; });
    return at == kUnits.end() ? XUnit::Step : *at;
}

std::vector<XUnit> XScale::units(const LiveData& run) {
    std::vector<XUnit> known;
    std::copy_if(kUnits.begin(), kUnits.end(), std::back_inserter(known),
                 [&](XUnit unit) { return is_known(run, unit); });
    return known;
}

void XScale::update(const LiveData& run, XUnit wanted, bool log) {
    run_ = &run;
    unit_ = is_known(run, wanted) ? wanted : XUnit::Step;
    log_ = log && can_be_log(unit_);
    steps_per_epoch_ = std::max(double(run.state.steps_per_epoch), 1.0);
    zero_ = 0;
    if (unit_ == XUnit::Elapsed) {
        zero_ = double(run.state.start_us) * kPerMicrosecond;
        if (zero_ <= 0) {
            zero_ = run.step_times.at(run.first_step());
        }
    }
    if (is_timed()) {
        track_ = run.step_times;
    } else if (unit_ == XUnit::Samples) {
        track_ = run.step_samples;
    }
}

double XScale::position(double value) const {
    return log_ ? std::log10(std::max(value, kSmallestX)) : value;
}

double XScale::value_at(double position) const {
    return log_ ? std::pow(10.0, std::min(position, kMostDecades)) : position;
}

double XScale::of_step(double step, int rank) const {
    return position(value_of_step(step, rank));
}

double XScale::first_step(double first) const {
    return log_ && !(value_of_step(first) > 0) ? std::max(first + 1, 1.0) : first;
}

bool XScale::is_log_over(double first_step, double last_step) const {
    return log_ && value_of_step(last_step) > kWideRatio * std::max(value_of_step(first_step), kSmallestX);
}

double XScale::value_of_step(double step, int rank) const {
    switch (unit_) {
        case XUnit::Step:
            return step;
        case XUnit::Epoch:
            return step / steps_per_epoch_;
        case XUnit::Elapsed:
        case XUnit::Clock:
            return time_of_step(track_, run_->delays_of(rank), step) - zero_;
        case XUnit::Samples:
            break;
    }
    return track_.at(step);
}

double XScale::step_at(double x, int rank) const {
    const double value = value_at(x);
    switch (unit_) {
        case XUnit::Step:
            return value;
        case XUnit::Epoch:
            return value * steps_per_epoch_;
        case XUnit::Elapsed:
        case XUnit::Clock:
            return step_at_time(track_, run_->delays_of(rank), value + zero_);
        case XUnit::Samples:
            break;
    }
    return track_.step_at(value);
}

double XScale::of_moment(double step, std::int64_t t_us) const {
    return is_timed() && t_us > 0 ? position(double(t_us) * kPerMicrosecond - zero_) : of_step(step);
}

QString XScale::text(double position) const {
    const double x = value_at(position);
    switch (unit_) {
        case XUnit::Step:
            break;
        case XUnit::Epoch:
            return Words::tr("epoch %1").arg(number_text(x, 2));
        case XUnit::Elapsed:
            return elapsed_text(x);
        case XUnit::Clock:
            return std::abs(x) < kFarSeconds
                       ? QDateTime::fromMSecsSinceEpoch(qint64(x * 1e3)).toString(u"yyyy-MM-dd HH:mm:ss"_s)
                       : QString();
        case XUnit::Samples:
            return Words::tr("%1 samples").arg(count_text(std::int64_t(std::clamp(x, -9e15, 9e15))));
    }
    return Words::tr("step %1").arg(count_text(std::int64_t(std::clamp(x, -9e15, 9e15))));
}

QString elapsed_text(double seconds) {
    const auto all = std::int64_t(std::floor(std::clamp(std::abs(seconds), 0.0, 9e15)));
    const QString sign = seconds < 0 && all > 0 ? u"-"_s : QString();
    const QChar zero(u'0');
    const QString clock =
        u"%1:%2:%3"_s.arg(all / 3600 % 24).arg(all / 60 % 60, 2, 10, zero).arg(all % 60, 2, 10, zero);
    return all < 86400 ? QString(sign % clock)
                       : QString(sign % Words::tr("%1 d %2").arg(all / 86400).arg(clock));
}

}  // namespace rankscope::gui
