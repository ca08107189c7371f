// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <gui/data/x_scale.h>
#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

namespace rankscope::gui {

/// The part of a run that all panes show, on one panel: what is outside of it fades, its edges are lines.
class RangeFade : public QCPAbstractItem {
    Q_OBJECT

public:
    /// Nothing is drawn while `range` is all times.
    RangeFade(QCustomPlot* plot, QCPAxis* x, const TimeSpan* range, const LiveData* run, const XScale* scale);

    void set_colors(const ThemeColors& colors) { colors_ = colors; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QCPAxis* x_;
    const TimeSpan* range_;
    const LiveData* run_;
    const XScale* scale_;
    ThemeColors colors_;
};

}  // namespace rankscope::gui
