// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

#include <QFont>

namespace rankscope::gui {

/// What is drawn over the axes of one panel. A click does not select it.
class PanelItem : public QCPAbstractItem {
public:
    PanelItem(QCustomPlot* plot, QCPAxis* x) : QCPAbstractItem(plot), x_(x) {
        setClipAxisRect(x->axisRect());
        setSelectable(false);
    }
    void set_look(const ThemeColors& colors, const QFont& font) {
        colors_ = colors;
        font_ = font;
    }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    QCPAxis* x_;
    ThemeColors colors_;
    QFont font_;
};

/// What fills the axes of one panel. The panel knows the ranges and has no legend in QCustomPlot.
class PanelPlottable : public QCPAbstractPlottable {
public:
    PanelPlottable(QCPAxis* x, QCPAxis* y) : QCPAbstractPlottable(x, y) { setSelectable(QCP::stNone); }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override { return none(found); }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        return none(found);
    }

protected:
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    static QCPRange none(bool& found) {
        found = false;
        return {};
    }
};

}  // namespace rankscope::gui
