// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <gui/data/x_scale.h>
#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

#include <QFont>
#include <optional>

namespace rankscope::gui {

/// The marked moment of a run as an upright line with its time, over the curves of one panel.
class MomentLine : public QCPAbstractItem {
    Q_OBJECT

public:
    /// Nothing is drawn while `moment` is empty.
    MomentLine(QCustomPlot* plot, QCPAxis* x, const std::optional<RunMoment>* moment, const LiveData* run,
               const XScale* scale);

    void set_look(const ThemeColors& colors, const QFont& font);
    /// What is at this place across; empty: something else.
    QString text_at(double pixel) const;

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    double pixel() const;

    QCPAxis* x_;
    const std::optional<RunMoment>* moment_;
    const LiveData* run_;
    const XScale* scale_;
    ThemeColors colors_;
    QFont font_;
};

}  // namespace rankscope::gui
