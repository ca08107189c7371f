// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/axis_look.h>
#include <gui/plot/plot_files.h>
#include <gui/plot/plot_tickers.h>
#include <gui/runs/scaling_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QContextMenuEvent>
#include <QEvent>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kBarWidth = 0.6;
constexpr int kParts = 4;
constexpr double kAbove = 1.08;  ///< of an axis, above what it shows

}  // namespace

ScalingPlot::ScalingPlot(QWidget* parent)
    : QWidget(parent),
      plot_(new QCustomPlot(this)),
      files_(new PlotFiles(
          u"scaling"_s,
          [this](PlotFormat format, const QString& path) {
              return format == PlotFormat::Csv ? export_table(table(), path)
                                               : export_picture(*plot_, format, path);
          },
          this)) {
    setObjectName(u"scalingPlot"_s);
    setAccessibleName(tr("Speed-up and efficiency by ranks, and where the time goes"));
    setMinimumHeight(220);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    plot_->setFocusPolicy(Qt::NoFocus);
    rebuild();
}

void ScalingPlot::set_points(const std::vector<ScalingPoint>& points, const std::string& unit) {
    points_ = points;
    unit_ = unit;
    rebuild();
}

void ScalingPlot::rebuild() {
    plot_->clearPlottables();
    plot_->clearItems();
    plot_->plotLayout()->clear();
    plot_->setBackground(theme_colors(palette()).surface);
    add_speedup();
    add_efficiency();
    add_shares();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QCPAxisRect* ScalingPlot::add_rect(const QString& title, int column, const QString& y) {
    auto* text = new QCPTextElement(plot_, title);
    auto* rect = new QCPAxisRect(plot_, true);
    place_panel(plot_->plotLayout(), 0, column, text, rect);
    set_panel_look(text, rect, theme_colors(palette()), font());
    text->setMargins(QMargins(2, 2, 2, 2));
    rect->setMinimumMargins(QMargins(44, 6, 12, 4));
    rect->axis(QCPAxis::atBottom)->setLabel(tr("ranks"));
    rect->axis(QCPAxis::atLeft)->setLabel(y);
    return rect;
}

// In scale, so that the ideal speed-up is a straight line.
void ScalingPlot::add_line(QCPAxisRect* rect, const QVector<double>& ideal, double ScalingPoint::*value) {
    const ThemeColors colors = theme_colors(palette());
    QVector<double> places;
    QVector<double> reached_places;
    QVector<double> reached;
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const ScalingPoint& point : points_) {
        places += point.ranks;
        ticker->addTick(point.ranks, QString::number(point.ranks));
        if (std::isfinite(point.*value)) {
            reached_places += point.ranks;
            reached += point.*value;
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
    double most = 1;
    for (const auto& all : {ideal, reached}) {
        for (const double each : all) {
            most = std::max(most, each);
        }
    }
    y->setRange(0, most * kAbove);
    x->setTicker(ticker);
    x->setRange(0, (points_.empty() ? 1 : points_.back().ranks) * kAbove);
}

void ScalingPlot::add_speedup() {
    QCPAxisRect* rect = add_rect(tr("Speed-up (dashed: ideal)"), 0, tr("times"));
    QVector<double> ideal;
    for (const ScalingPoint& point : points_) {
        ideal += point.ranks;
    }
    add_line(rect, ideal, &ScalingPoint::speedup);
}

void ScalingPlot::add_efficiency() {
    QCPAxisRect* rect = add_rect(tr("Efficiency (dashed: ideal)"), 1);
    rect->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<ValueTicker>::create(MetricUnit::Share));
    add_line(rect, QVector<double>(qsizetype(points_.size()), 1), &ScalingPoint::efficiency);
}

QString ScalingPlot::table() const {
    QString text =
        u"ranks,unit,throughput,low,high,steps,speedup,efficiency,compute_ms,data_ms,comm_ms,other_ms,step_"
        u"ms,run,"
        "failure\r\n"_s;
    for (const ScalingPoint& point : points_) {
        QStringList cells{QString::number(point.ranks), csv_field(qs(unit_)),
                          csv_number(point.throughput), csv_number(point.low),
                          csv_number(point.high),       QString::number(point.steps),
                          csv_number(point.speedup),    csv_number(point.efficiency)};
        const StepShares shares = point.shares.value_or(StepShares());
        for (const double part :
             {shares.compute_ms, shares.data_ms, shares.comm_ms, shares.other_ms, shares.step_ms}) {
            cells += point.shares ? csv_number(part) : QString();
        }
        cells += csv_field(qs(point.run_id));
        cells += csv_field(qs(point.failure));
        text += cells.join(u',') % u"\r\n"_s;
    }
    return text;
}

void ScalingPlot::add_shares() {
    const bool dark = theme_colors(palette()).dark;
    QCPAxisRect* rect = add_rect(tr("Time of a step, ms"), 2);
    const std::array<QString, kParts> names{tr("compute"), tr("data"), tr("communication"), tr("other")};
    std::array<QVector<double>, kParts> heights;
    QVector<double> places;
    double most = 0;
    // The places are numbers of ranks, whatever their distance.
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (std::size_t i = 0; i < points_.size(); ++i) {
        ticker->addTick(double(i), QString::number(points_[i].ranks));
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
    x->setTicker(ticker);
    x->setRange(-0.6, std::max(0.6, double(points_.size()) - 0.4));
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
    legend->setWrap(2);  // three plots side by side leave no room for one row
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

void ScalingPlot::contextMenuEvent(QContextMenuEvent* event) {
    if (points_.empty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(u"scalingPlotMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    files_->fill(menu->addMenu(tr("&Export these plots")));
    menu->popup(event->globalPos());
}

void ScalingPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        rebuild();
    }
}

}  // namespace rankscope::gui
