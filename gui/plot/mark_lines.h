// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_marks.h>
#include <gui/data/x_scale.h>
#include <gui/plot/panel_item.h>

namespace rankscope::gui {

/// A run's moments as thin upright lines behind the curves of one panel, each kind with a sign of its own at the top.
class MarkLines : public PanelItem {
public:
    MarkLines(QCustomPlot* plot, QCPAxis* x, const RunMarks* marks, const XScale* scale)
        : PanelItem(plot, x), marks_(marks), scale_(scale) {}

    /// What is at this place across, one line each.
    QStringList texts_at(double pixel) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    QColor color_of(RunMark::Kind kind) const;
    void draw_sign(QCPPainter* painter, RunMark::Kind kind, double x, double top) const;
    double pixel_of(const RunMark& mark) const;

    const RunMarks* marks_;
    const XScale* scale_;
};

}  // namespace rankscope::gui
