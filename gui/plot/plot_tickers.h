// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_format.h>
#include <gui/plot/qcustomplot_include.h>

#include <algorithm>

namespace rankscope::gui {

/// Axis labels in a metric's unit: "25 %", "12 ms", "1.5k", "2.5e-4".
class ValueTicker : public QCPAxisTicker {
public:
    explicit ValueTicker(MetricUnit unit) : unit_(unit) { setTickCount(5); }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        // A tick at zero is computed, so it may be 1e-20.
        const double shown = std::abs(tick) < smallest_ ? 0 : tick;
        return axis_text(unit_, shown);
    }
    double getTickStep(const QCPRange& range) override {
        const double step = QCPAxisTicker::getTickStep(range);
        smallest_ = step * 1e-6;
        return step;
    }

private:
    MetricUnit unit_;
    double smallest_ = 0;
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

}  // namespace rankscope::gui
