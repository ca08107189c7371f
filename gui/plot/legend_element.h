// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>

#include <QColor>
#include <QFont>
#include <QFontMetrics>
#include <QRect>
#include <QStringList>
#include <vector>

namespace rankscope::gui {

/// An entry of a legend: a swatch, then the text as far as it has room.
struct LegendPlace {
    QRect rect;
    QString text;
};
/// Entries in lines that wrap at `width`, from (0, 0) on; those beyond `most_lines` have no place. `widest`: of a text.
std::vector<LegendPlace> legend_places(const QStringList& texts, const QFontMetrics& metrics, int width,
                                       int widest, int most_lines);
void draw_legend_place(QPainter& painter, const LegendPlace& place, const QColor& swatch, const QColor& text);
/// What draw_legend_place() draws left of the text.
inline constexpr int kLegendSwatch = 14;
/// Between two entries.
inline constexpr int kLegendApart = 16;

/// Which colour is which line, over as many lines as the width of the plot needs: for pictures, which have no legend
/// beside them.
class LegendElement : public QCPLayoutElement {
public:
    /// `colors`: of the lines with these titles.
    LegendElement(QCustomPlot* plot, QStringList titles, std::vector<QColor> colors, const QFont& font,
                  const QColor& text);

    int height_for(int width) const;
    QSize minimumOuterSizeHint() const override;
    QSize maximumOuterSizeHint() const override;

protected:
    void draw(QCPPainter* painter) override;

private:
    std::vector<LegendPlace> places(int width) const;

    QStringList titles_;
    std::vector<QColor> colors_;
    QFont font_;
    QColor text_;
};

}  // namespace rankscope::gui
