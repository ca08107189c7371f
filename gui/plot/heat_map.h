// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/x_scale.h>
#include <gui/plot/qcustomplot_include.h>
#include <gui/plot/rank_view.h>
#include <gui/style/theme.h>

#include <QImage>
#include <optional>
#include <vector>

namespace rankscope::gui {

/// Ranks × steps: the colour is the distance from the median of all ranks at these steps, blue below, orange above,
/// so that a rank that is different is seen whatever the trend. Where ranks share a row, the one that is furthest
/// from the median has it.
class HeatMap : public QCPAbstractPlottable {
    Q_OBJECT

public:
    HeatMap(QCPAxis* x, QCPAxis* y, const XScale* scale, const RankView* view);

    /// What is under a place; nothing beside the values.
    struct Cell {
        int rank = 0;
        double first_step = 0;
        double last_step = 0;
        float value = 0;
        float median = 0;
    };
    std::optional<Cell> cell_at(const QPointF& place) const;

    void set_colors(const ThemeColors& colors);
    void set_selected(const std::vector<int>& ranks) { selected_ = ranks; }
    void set_ranks(int count) { ranks_ = count; }
    /// The distance that has the full colour, in the metric's unit.
    float scale_end() const { return end_; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    /// What the picture was made for.
    struct Key {
        GridView view;
        std::uint64_t revision = 0;
        int rows = 0;
        int ranks = 0;
        bool dark = false;
        bool operator==(const Key&) const = default;
    };
    void prepare(int rows);
    void paint_column(int x, const GridColumn& column);
    int rank_at(double y) const;

    const XScale* scale_;
    const RankView* view_;
    ThemeColors colors_;
    std::vector<QRgb> palette_;  ///< from far below to far above the median
    std::vector<int> selected_;
    int ranks_ = 0;
    float end_ = 0;
    Key key_;
    QImage image_;
};

}  // namespace rankscope::gui
