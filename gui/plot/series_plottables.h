// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/panel_values.h>
#include <gui/data/x_scale.h>
#include <gui/plot/curve_picture.h>
#include <gui/plot/panel_item.h>
#include <gui/plot/rank_view.h>

#include <utility>
#include <vector>

namespace rankscope::gui {

/// A curve of one rank, drawn from its column's pyramid: what a frame costs depends on its pixels, not on the
/// steps. Pen width 1 and no antialiasing while it is dense: a 2 px polyline costs thirty times as much. On the screen
/// it is a part of its panel's CurvePicture, and draws its marks only.
/// Where values are not finite the line breaks, and a cross at the upper edge marks the place.
class SeriesPlottable : public PanelPlottable, public CurvePart {
public:
    SeriesPlottable(QCPAxis* x, QCPAxis* y, const PanelValues* values, const XScale* scale, int rank);

    int rank() const { return rank_; }
    /// 0: none. Above that the values stay visible, faded, behind their moving average.
    void set_smoothing(double alpha);
    void set_mark_color(const QColor& color) { mark_ = color; }
    const MetricColumn& column() const { return values_->column(rank_); }
    /// Extremes of the line as it is drawn between two steps: of the average while there is one. Of values above 0
    /// only for a log scale.
    MinMax range(double first, double last, bool positive);
    /// Distance of the drawn line from a place, pixels; infinite where it is far in x.
    double distance(const QPointF& place);
    void add_to(CurveShape& shape) override;

protected:
    void draw(QCPPainter* painter) override;

private:
    /// What the points were computed for.
    struct Key {
        double x0 = 0;
        double x1 = 0;
        int pixels = 0;
        std::uint64_t revision = 0;
        bool log = false;
        bool operator==(const Key&) const = default;
    };
    /// Whose time the x axis counts: of this rank, unless the line is of all.
    int whose() const { return values_->single ? -1 : rank_; }
    void prepare(double first, double last);
    /// Steps at the edges of the pixels.
    std::vector<double> pixel_edges(double first, double last, int pixels) const;
    CurveStroke stroke(const std::vector<PlotPoint>& points, const QColor& color) const;

    const PanelValues* values_;
    const XScale* scale_;
    int rank_;
    double smoothing_ = 0;
    QColor mark_;
    Key prepared_;
    std::vector<PlotPoint> points_;
    std::vector<PlotPoint> smoothed_;
};

/// All ranks as one: band from smallest to largest, band from p10 to p90, line of the median. On the screen a part of
/// its panel's CurvePicture.
class BandPlottable : public PanelPlottable, public CurvePart {
public:
    BandPlottable(QCPAxis* x, QCPAxis* y, const PanelValues* values, const XScale* scale,
                  const RankView* view);

    struct Colors {
        QColor wide;
        QColor narrow;
        QColor median;
        QColor mark;
    };
    void set_colors(const Colors& colors) { colors_ = colors; }
    /// 0: none. Above that the median stays visible, faded, behind its moving average.
    void set_smoothing(double alpha);
    MinMax range(bool positive) const;
    void add_to(CurveShape& shape) override;

protected:
    void draw(QCPPainter* painter) override;

private:
    QPolygonF line(float AggregatePoint::*value) const;
    QPolygonF smoothed_median() const;
    bool has_place(const AggregatePoint& point) const;  ///< a logarithmic axis has none for 0

    const PanelValues* values_;
    const XScale* scale_;
    const RankView* view_;
    Colors colors_;
    double smoothing_ = 0;
};

/// Steps that an axis shows; of a rank, by its time.
std::pair<double, double> steps_in_view(const QCPAxis* x, const XScale& scale, int rank = -1);

/// Exponential moving average over points; alpha 0 leaves them unchanged. Breaks (NaN) stay.
void smooth(std::vector<PlotPoint>& points, double alpha);

}  // namespace rankscope::gui
