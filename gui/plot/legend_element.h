// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>

#include <QColor>
#include <QFont>
#include <QString>
#include <vector>

namespace rankscope::gui {

/// Which colour is which line, over as many lines as the width of the plot needs: for pictures, which have no legend
/// beside them.
class LegendElement : public QCPLayoutElement {
public:
    struct Entry {
        QString text;
        QColor color;
    };
    LegendElement(QCustomPlot* plot, std::vector<Entry> entries, const QFont& font, const QColor& text);

    int height_for(int width) const;
    QSize minimumOuterSizeHint() const override;
    QSize maximumOuterSizeHint() const override;

protected:
    void draw(QCPPainter* painter) override;

private:
    /// Draws, or only measures (`painter` null); the height.
    int lay_out(const QRect& in, QCPPainter* painter) const;

    std::vector<Entry> entries_;
    QFont font_;
    QColor text_;
};

}  // namespace rankscope::gui
