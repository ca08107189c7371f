// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_marks.h>
#include <gui/data/x_scale.h>
#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

namespace rankscope::gui {

/// A run's moments as thin upright lines behind the curves of one panel, each kind with a sign of its own at the top.
class MarkLines : public QCPAbstractItem {
    Q_OBJECT

public:
    MarkLines(QCustomPlot* plot, QCPAxis* x, const RunMarks* marks, const XScale* scale);

    void set_colors(const ThemeColors& colors) { colors_ = colors; }
    /// What is at this place across, one line each.
    QStringList texts_at(double pixel) const;

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QColor color_of(RunMark::Kind kind) const;
    void draw_sign(QCPPainter* painter, RunMark::Kind kind, double x, double top) const;
    double pixel_of(const RunMark& mark) const;

    QCPAxis* x_;
    const RunMarks* marks_;
    const XScale* scale_;
    ThemeColors colors_;
};

}  // namespace rankscope::gui
