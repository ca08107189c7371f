// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/scaling_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kBarWidth = 0.6;
constexpr int kParts = 4;

}  // namespace

ScalingPlot::ScalingPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)) {
    setObjectName(u"scalingPlot"_s);
    setAccessibleName(tr("Speed-up by ranks, and where the time goes"));
    setMinimumHeight(220);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    plot_->setFocusPolicy(Qt::NoFocus);
    rebuild();
}

void ScalingPlot::set_points(const std::vector<ScalingPoint>& points) {
    points_ = points;
    rebuild();
}

void ScalingPlot::rebuild() {
    plot_->clearPlottables();
    plot_->clearItems();
    plot_->plotLayout()->clear();
    plot_->setBackground(theme_colors(palette()).surface);
    add_speedup();
    add_shares();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QCPAxisRect* ScalingPlot::add_rect(const QString& title, int column) {
    auto* text = new QCPTextElement(plot_, title);
    QFont bold = font();
    bold.setBold(true);
    text->setFont(bold);
    text->setTextColor(theme_colors(palette()).muted);
    text->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    auto* rect = new QCPAxisRect(plot_, true);
    plot_->plotLayout()->addElement(0, column, text);
    plot_->plotLayout()->addElement(1, column, rect);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    rect->setMinimumMargins(QMargins(44, 6, 12, 4));
    return rect;
}

void ScalingPlot::style(QCPAxisRect* rect, const QString& x, const QString& y) {
    const ThemeColors colors = theme_colors(palette());
    QFont small = font();
    small.setPointSizeF(std::max(7.0, font().pointSizeF() * 0.88));
    for (QCPAxis* axis : {rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)}) {
        axis->setBasePen(QPen(colors.line, 1));
        axis->setTickPen(QPen(colors.line, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colors.muted);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->setLabelColor(colors.muted);
        axis->grid()->setPen(QPen(colors.grid, 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    rect->axis(QCPAxis::atBottom)->setLabel(x);
    rect->axis(QCPAxis::atLeft)->setLabel(y);
    // The places are numbers of ranks, whatever their distance.
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t i = 0; i < points_.size(); ++i) {
        ticker->addTick(double(i), QString::number(points_[i].ranks));
    }
    rect->axis(QCPAxis::atBottom)->setTicker(ticker);
    rect->axis(QCPAxis::atBottom)->setRange(-0.6, std::max(0.6, double(points_.size()) - 0.4));
}

void ScalingPlot::add_speedup() {
    const ThemeColors colors = theme_colors(palette());
    QCPAxisRect* rect = add_rect(tr("Speed-up (dashed: ideal)"), 0);
    style(rect, tr("ranks"), tr("times"));
    QVector<double> places;
    QVector<double> ideal;
    QVector<double> reached_places;
    QVector<double> reached;
    double most = 1;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        places += points_[i].ranks;
        ideal += points_[i].ranks;
        most = std::max(most, double(points_[i].ranks));
        if (std::isfinite(points_[i].speedup)) {
            reached_places += points_[i].ranks;
            reached += points_[i].speedup;
            most = std::max(most, points_[i].speedup);
        }
    }
    QCPAxis* x = rect->axis(QCPAxis::atBottom);
    QCPAxis* y = rect->axis(QCPAxis::atLeft);
    QCPGraph* line = plot_->addGraph(x, y);
    line->setData(places, ideal);
    line->setPen(QPen(colors.muted, 1, Qt::DashLine));
    QCPGraph* curve = plot_->addGraph(x, y);
    curve->setData(reached_places, reached);
    curve->setPen(QPen(colors.accent, 2));
    curve->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colors.accent, colors.accent, 7));
    y->setRange(0, most * 1.08);
    // In scale, so that the ideal is a straight line.
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const ScalingPoint& point : points_) {
        ticker->addTick(point.ranks, QString::number(point.ranks));
    }
    x->setTicker(ticker);
    x->setRange(0, (points_.empty() ? 1 : points_.back().ranks) * 1.08);
}

void ScalingPlot::add_shares() {
    const bool dark = theme_colors(palette()).dark;
    QCPAxisRect* rect = add_rect(tr("Time of a step, ms"), 1);
    style(rect, tr("ranks"), {});
    const std::array<QString, kParts> names{tr("compute"), tr("data"), tr("communication"), tr("other")};
    std::array<QVector<double>, kParts> heights;
    QVector<double> places;
    double most = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (const auto& shares = points_[i].shares) {
            places += double(i);
            const std::array<double, kParts> parts{shares->compute_ms, shares->data_ms, shares->comm_ms,
                                                   shares->other_ms};
            double sum = 0;
            for (std::size_t part = 0; part < parts.size(); ++part) {
                heights[part] += parts[part];
                sum += parts[part];
            }
            most = std::max(most, sum);
        }
    }
    QCPAxis* x = rect->axis(QCPAxis::atBottom);
    QCPAxis* y = rect->axis(QCPAxis::atLeft);
    y->setRange(0, most > 0 ? most * 1.2 : 1);
    if (places.isEmpty()) {
        auto* note = new QCPItemText(plot_);
        note->setClipAxisRect(rect);
        note->position->setAxisRect(rect);
        note->position->setType(QCPItemPosition::ptAxisRectRatio);
        note->position->setCoords(0.5, 0.5);
        note->setColor(theme_colors(palette()).muted);
        note->setFont(font());
        note->setText(points_.empty() ? tr("Nothing measured yet.") : tr("Not reported by these ranks."));
        return;
    }
    auto* legend = new QCPLegend;
    rect->insetLayout()->addElement(legend, Qt::AlignTop | Qt::AlignLeft);
    legend->setLayer(u"legend"_s);
    legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    legend->setBorderPen(Qt::NoPen);
    legend->setBrush(Qt::NoBrush);
    legend->setTextColor(theme_colors(palette()).muted);
    legend->setFont(font());
    legend->setIconSize(10, 10);
    QCPBars* below = nullptr;
    for (int part = 0; part < kParts; ++part) {
        auto* bars = new QCPBars(x, y);
        const QColor color = rank_color(part, dark);
        bars->setWidth(kBarWidth);
        bars->setData(places, heights[std::size_t(part)], true);
        bars->setPen(Qt::NoPen);
        bars->setBrush(color);
        bars->setName(names[std::size_t(part)]);
        if (below) {
            bars->moveAbove(below);
        }
        bars->addToLegend(legend);
        below = bars;
    }
}

void ScalingPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        rebuild();
    }
}

}  // namespace rankscope::gui
