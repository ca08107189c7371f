// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <gui/data/x_scale.h>
#include <gui/plot/panel_item.h>

#include <optional>

namespace rankscope::gui {

/// The marked moment of a run as an upright line with its time, over the curves of one panel.
class MomentLine : public PanelItem {
public:
    /// Nothing is drawn while `moment` is empty.
    MomentLine(QCustomPlot* plot, QCPAxis* x, const std::optional<RunMoment>* moment, const LiveData* run,
               const XScale* scale)
        : PanelItem(plot, x), moment_(moment), run_(run), scale_(scale) {}

    /// What is at this place across; empty: something else.
    QString text_at(double pixel) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    double pixel() const;

    const std::optional<RunMoment>* moment_;
    const LiveData* run_;
    const XScale* scale_;
};

/// The part of a run that all panes show, on one panel: what is outside of it fades, its edges are lines.
class RangeFade : public PanelItem {
public:
    /// Nothing is drawn while `range` is all times.
    RangeFade(QCustomPlot* plot, QCPAxis* x, const TimeSpan* range, const LiveData* run, const XScale* scale)
        : PanelItem(plot, x), range_(range), run_(run), scale_(scale) {}

protected:
    void draw(QCPPainter* painter) override;

private:
    const TimeSpan* range_;
    const LiveData* run_;
    const XScale* scale_;
};

}  // namespace rankscope::gui
