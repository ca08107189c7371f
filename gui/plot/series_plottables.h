// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/rank_aggregate.h>
#include <gui/plot/qcustomplot_include.h>

#include <vector>

namespace rankscope::gui {

/// A curve of one rank, drawn from its series' pyramid: what a frame costs depends on its pixels, not on the
/// steps. Pen width 1 and no antialiasing while it is dense: a 2 px polyline costs thirty times as much.
class SeriesPlottable : public QCPAbstractPlottable {
    Q_OBJECT

public:
    SeriesPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, Metric metric, int rank);

    int rank() const { return rank_; }
    void set_smoothing(double alpha) { smoothing_ = alpha; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    const LiveModel* live_;
    Metric metric_;
    int rank_;
    double smoothing_ = 0;
    std::vector<PlotPoint> points_;
    QVector<QPointF> pixels_;
};

/// All ranks as one: band from smallest to largest, band from p10 to p90, line of the median.
class BandPlottable : public QCPAbstractPlottable {
    Q_OBJECT

public:
    BandPlottable(QCPAxis* x, QCPAxis* y, const LiveModel* live, Metric metric);

    void set_colors(const QColor& wide, const QColor& narrow, const QColor& median);
    void clear_cache() { aggregate_.clear(); }
    const std::vector<AggregatePoint>& points() const { return points_; }
    /// Counts what the range shows now; returns the extremes.
    MinMax update(double x0, double x1);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange& keys) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    void draw_band(QCPPainter* painter, float AggregatePoint::*low, float AggregatePoint::*high,
                   const QColor& color);

    const LiveModel* live_;
    RankAggregate aggregate_;
    std::vector<AggregatePoint> points_;
    QColor wide_;
    QColor narrow_;
    QColor median_;
};

/// Exponential moving average over points; alpha 0 leaves them as they are.
void smooth(std::vector<PlotPoint>& points, double alpha);

}  // namespace rankscope::gui
