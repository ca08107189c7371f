// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_format.h>
#include <gui/data/x_scale.h>
#include <gui/plot/qcustomplot_include.h>

#include <QDateTime>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

/// Axis labels in a metric's unit: "25 %", "12 ms", "1.5k", "2.5e-4".
class ValueTicker : public QCPAxisTicker {
public:
    explicit ValueTicker(MetricUnit unit) : unit_(unit) { setTickCount(5); }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        // A tick at zero is computed, so it may be 1e-20.
        const double shown = std::abs(tick) < smallest_ ? 0 : tick;
        return unit_ == MetricUnit::Share ? percent_axis_text(shown, digits_) : axis_text(unit_, shown);
    }
    double getTickStep(const QCPRange& range) override {
        const double step = QCPAxisTicker::getTickStep(range);
        smallest_ = step * 1e-6;
        digits_ = percent_digits(step);
        return step;
    }

private:
    MetricUnit unit_;
    double smallest_ = 0;
    int digits_ = 0;  ///< of all labels of a percent axis
};

/// Whole steps only.
class StepTicker : public ValueTicker {
public:
    StepTicker() : ValueTicker(MetricUnit::Number) {}

protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, ValueTicker::getTickStep(range));
    }
    QVector<double> createSubTickVector(int, const QVector<double>&) override { return {}; }
};

/// A time of some length since the start: ticks at whole seconds, minutes, hours.
class ElapsedTicker : public QCPAxisTicker {
public:
    ElapsedTicker() { setTickCount(5); }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return step_ < 1
                   ? axis_text(MetricUnit::Number, std::abs(tick) < step_ * 1e-6 ? 0 : tick) + QChar(u's')
                   : elapsed_text(tick);
    }
    double getTickStep(const QCPRange& range) override {
        const double rough = range.size() / 5;
        step_ = QCPAxisTicker::getTickStep(range);
        if (rough >= 1) {
            for (const double nice :
                 {1.,   2.,    5.,    10.,   15.,    30.,    60.,    120.,   300.,    600.,
                  900., 1800., 3600., 7200., 10800., 21600., 43200., 86400., 172800., 604800.}) {
                step_ = nice;
                if (nice >= rough) {
                    break;
                }
            }
            step_ = std::max(step_, std::ceil(rough / step_) * step_);
        }
        return step_;
    }
    QVector<double> createSubTickVector(int, const QVector<double>&) override { return {}; }
    double last_step() const { return step_; }

private:
    double step_ = 1;
};

/// The same for a clock; ticks at whole hours and days of this place.
class ClockTicker : public ElapsedTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        if (std::abs(tick) > 4e11) {
            return {};
        }
        const QDateTime at = QDateTime::fromMSecsSinceEpoch(qint64(std::round(tick * 1e3)));
        return at.toString(last_step() >= 86400 ? QStringLiteral("MM-dd")
                           : last_step() >= 60  ? QStringLiteral("HH:mm")
                           : last_step() >= 1   ? QStringLiteral("HH:mm:ss")
                                                : QStringLiteral("HH:mm:ss.zzz"));
    }
};

/// Decades, with 2 and 5 between while there are few.
class LogTicker : public QCPAxisTicker {
public:
    explicit LogTicker(MetricUnit unit) : unit_(unit) {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        // Decades are apart by more than any one precision shows: each has what it needs, 0.01 % and 10 %.
        return unit_ == MetricUnit::Share
                   ? percent_axis_text(tick, digits_ >= 0 ? digits_ : percent_digits(tick))
                   : axis_text(unit_, tick);
    }
    QVector<double> createTickVector(double, const QCPRange& range) override {
        QVector<double> ticks;
        digits_ = -1;
        if (!(range.lower > 0) || !(range.upper > range.lower)) {
            return ticks;
        }
        const double decades = std::log10(range.upper / range.lower);
        const int stride = std::max(1, int(std::ceil(decades / 5)));
        const auto first = int(std::floor(std::log10(range.lower)));
        for (int power = first; power <= first + int(decades) + 2; power += stride) {
            const double unit = std::pow(10.0, power);
            ticks << unit;
            if (decades < 2.5) {
                ticks << 2 * unit << 5 * unit;
            }
        }
        ticks.erase(std::remove_if(ticks.begin(), ticks.end(),
                                   [&](double tick) { return tick < range.lower || tick > range.upper; }),
                    ticks.end());
        if (ticks.size() >= 2) {
            return ticks;
        }
        const double step = QCPAxisTicker::getTickStep(range);
        digits_ = percent_digits(step);
        return QCPAxisTicker::createTickVector(step, range);
    }
    QVector<double> createSubTickVector(int, const QVector<double>&) override { return {}; }

private:
    MetricUnit unit_;
    int digits_ = -1;  ///< of labels at equal distances; -1: they are decades
};

/// Where an x axis has the decimal logarithm of what it counts: decades, of time whole seconds, minutes, hours and
/// days, with values between while there are few.
class LogPositionTicker : public QCPAxisTicker {
public:
    explicit LogPositionTicker(XUnit unit) : unit_(unit) {}

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const double value = std::pow(10.0, tick);
        if (unit_ != XUnit::Elapsed) {
            return axis_text(MetricUnit::Number, value);
        }
        return value < 1 - 1e-9 ? axis_text(MetricUnit::Number, value) + QChar(u's')
                                : elapsed_text(std::round(value * 1e3) / 1e3);
    }
    QVector<double> createTickVector(double, const QCPRange& range) override {
        constexpr int kFew = 4;
        QVector<double> ticks = positions(range, true);
        if (ticks.size() < kFew) {
            ticks = positions(range, false);
        } else if (const int stride = (int(ticks.size()) + 5) / 6; stride > 1) {
            QVector<double> some;
            for (int i = 0; i < ticks.size(); i += stride) {
                some << ticks[i];
            }
            ticks = some;
        }
        return ticks.size() >= 2 ? ticks : even_ticks(range);
    }
    QVector<double> createSubTickVector(int, const QVector<double>&) override { return {}; }

private:
    bool is_whole() const { return unit_ == XUnit::Step || unit_ == XUnit::Samples; }

    QVector<double> positions(const QCPRange& range, bool only_main) const {
        QVector<double> ticks;
        const auto add = [&](double value) {
            const double at = std::log10(value);
            if (range.contains(at) && (value >= 1 || !is_whole())) {
                ticks << at;
            }
        };
        const bool timed = unit_ == XUnit::Elapsed;
        for (int power = int(std::floor(range.lower)); power <= range.upper && power < (timed ? 1 : 19);
             ++power) {
            const double unit = std::pow(10.0, power);
            add(unit);
            if (!only_main) {
                add(2 * unit);
                add(5 * unit);
            }
        }
        if (timed) {
            constexpr double kDay = 86400;
            for (const double value :
                 {10., 60., 600., 3600., 21600., kDay, 10 * kDay, 100 * kDay, 1000 * kDay}) {
                add(value);
            }
            for (const double value : {30., 120., 300., 1800., 7200., 43200., 2 * kDay, 5 * kDay}) {
                if (!only_main) {
                    add(value);
                }
            }
            std::sort(ticks.begin(), ticks.end());
        }
        return ticks;
    }

    /// Far zoomed in: equal distances of what is counted.
    QVector<double> even_ticks(const QCPRange& range) {
        const QCPRange values(std::pow(10.0, range.lower), std::pow(10.0, range.upper));
        double step = QCPAxisTicker::getTickStep(values);
        step = is_whole() ? std::max(step, 1.0) : step;
        QVector<double> ticks;
        for (const double value : QCPAxisTicker::createTickVector(step, values)) {
            if (value > 0 && values.contains(value)) {
                ticks << std::log10(value);
            }
        }
        return ticks;
    }

    XUnit unit_;
};

inline QSharedPointer<QCPAxisTicker> x_ticker(XUnit unit, bool log = false) {
    if (log) {
        return QSharedPointer<LogPositionTicker>::create(unit);
    }
    switch (unit) {
        case XUnit::Epoch:
            return QSharedPointer<ValueTicker>::create(MetricUnit::Number);
        case XUnit::Elapsed:
            return QSharedPointer<ElapsedTicker>::create();
        case XUnit::Clock:
            return QSharedPointer<ClockTicker>::create();
        case XUnit::Step:
        case XUnit::Samples:
            break;
    }
    return QSharedPointer<StepTicker>::create();
}

}  // namespace rankscope::gui
