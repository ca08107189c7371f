// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/models/run_column_texts.h>
#include <gui/plain_text.h>
#include <gui/plot/axis_look.h>
#include <gui/plot/legend_element.h>
#include <gui/plot/plot_files.h>
#include <gui/plot/plot_tickers.h>
#include <gui/runs/compare_export.h>
#include <gui/runs/compare_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <remote/desk/archive/compare/run_comparison.h>

#include <QContextMenuEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <memory>

namespace rankscope::gui {

namespace {

constexpr int kPanelHeight = 190;
constexpr int kWideEnough = 760;  ///< for two columns
constexpr qsizetype kHoverLines = 16;
constexpr double kEdge = 0.02;  ///< of a range, left free beside what it shows

}  // namespace

ComparePlot::ComparePlot(QWidget* parent)
    : QWidget(parent),
      scroll_(new QScrollArea(this)),
      plot_(new QCustomPlot(scroll_)),
      files_(new PlotFiles(
          u"compare"_s,
          [this](PlotFormat format, const QString& path) { return export_compare(*this, format, path); },
          this)) {
    setObjectName(u"comparePlot"_s);
    setAccessibleName(tr("Curves of the compared runs"));
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll_);
    scroll_->setWidget(plot_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);
    plot_->setFocusPolicy(Qt::NoFocus);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setNoAntialiasingOnDrag(true);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &ComparePlot::show_all);
    connect(plot_, &QCustomPlot::mouseMove, this, &ComparePlot::hover);
}

void ComparePlot::set_comparison(std::shared_ptr<const RunComparison> comparison, const QStringList& titles) {
    comparison_ = std::move(comparison);
    titles_ = titles;
    rebuild();
}

void ComparePlot::set_metrics(const std::vector<std::string>& names) {
    metrics_ = names;
    rebuild();
}

void ComparePlot::set_axis(CurveAxis axis) {
    axis_ = axis;
    rebuild();
}

void ComparePlot::set_x_log(bool log) {
    if (log != x_log_) {
        x_log_ = log;
        rebuild();
    }
}

// NaN: none.
double ComparePlot::position(double x) const {
    if (!x_log_) {
        return x;
    }
    return x > 0 ? std::log10(x) : std::numeric_limits<double>::quiet_NaN();
}

void ComparePlot::set_bands(bool bands) {
    bands_ = bands;
    rebuild();
}

void ComparePlot::set_legend(bool legend) {
    legend_ = legend;
    rebuild();
}

int ComparePlot::columns() const {
    return width() >= kWideEnough && metrics_.size() > 1 ? 2 : 1;
}

void ComparePlot::rebuild() {
    plot_->clearGraphs();
    plot_->plotLayout()->clear();
    panels_.clear();
    grid_ = plot_->plotLayout();
    legend_height_ = 0;
    if (comparison_ && legend_) {
        add_legend();
    }
    if (comparison_) {
        for (std::size_t i = 0; i < metrics_.size(); ++i) {
            add_panel(metrics_[i], int(i), columns());
        }
    }
    plot_->plotLayout()->simplify();
    fit_height();
    show_all();
}

void ComparePlot::fit_height() {
    const int rows = (int(panels_.size()) + columns() - 1) / columns();
    plot_->setMinimumHeight(rows * kPanelHeight + legend_height_);
}

// The grid of QCustomPlot has no cells over several columns: the panels get a grid of their own below the legend.
void ComparePlot::add_legend() {
    const ThemeColors colors = theme_colors(palette());
    QStringList titles;
    std::vector<QColor> line_colors;
    for (const CompareLine& line : compare_lines(*comparison_, titles_, bands_)) {
        titles += line.title;
        line_colors.push_back(rank_color(int(line.runs.front()), colors.dark));
    }
    auto legend = std::make_unique<LegendElement>(plot_, titles, std::move(line_colors), font(), colors.text);
    legend_height_ = legend->height_for(plot_->width());
    auto grid = std::make_unique<QCPLayoutGrid>();
    grid_ = grid.get();
    QCPLayoutGrid* all = plot_->plotLayout();  // owns both
    all->addElement(0, 0, legend.release());
    all->addElement(1, 0, grid.release());
    all->setRowStretchFactor(0, 0.001);
}

QCPRange ComparePlot::x_range() const {
    return panels_.empty() ? QCPRange() : panels_.front().rect->axis(QCPAxis::atBottom)->range();
}

void ComparePlot::show_x(const QCPRange& range) {
    if (!panels_.empty()) {
        panels_.front().rect->axis(QCPAxis::atBottom)->setRange(range);
    }
}

void ComparePlot::add_panel(const std::string& metric, int place, int columns) {
    Panel panel{metric, new QCPAxisRect(plot_, true), new QCPTextElement(plot_, run_metric_title(metric))};
    place_panel(grid_, place / columns, place % columns, panel.title, panel.rect);
    panel.rect->setRangeDrag(Qt::Horizontal);
    panel.rect->setRangeZoom(Qt::Horizontal);
    QCPAxis* x = panel.rect->axis(QCPAxis::atBottom);
    x->setTicker(x_ticker(axis_ == CurveAxis::Time    ? XUnit::Elapsed
                          : axis_ == CurveAxis::Epoch ? XUnit::Epoch
                                                      : XUnit::Step,
                          x_log_));
    panel.rect->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<ValueTicker>::create(metric_unit(metric)));
    connect(x, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this, x](const QCPRange& range) { link_axes(x, range); });
    style(panel);
    const bool dark = theme_colors(palette()).dark;
    for (const CompareLine& line : compare_lines(*comparison_, titles_, bands_)) {
        const QColor color = rank_color(int(line.runs.front()), dark);
        const auto curves = curves_of(*comparison_, line, metric);
        if (line.band) {
            add_band(panel, curves, color, line.title);
        } else if (!curves.empty()) {
            add_curve(panel, *curves.front(), color, line.title);
        }
    }
    panels_.push_back(panel);
}

void ComparePlot::style(const Panel& panel) {
    const ThemeColors colors = theme_colors(palette());
    plot_->setBackground(colors.surface);
    set_panel_look(panel.title, panel.rect, colors, font());
    const QString label = axis_ == CurveAxis::Step    ? tr("step")
                          : axis_ == CurveAxis::Epoch ? tr("epoch")
                                                      : tr("time since the start");
    panel.rect->axis(QCPAxis::atBottom)->setLabel(label);
}

void ComparePlot::add_curve(const Panel& panel, const std::vector<CurvePoint>& points, const QColor& color,
                            const QString& name) {
    QVector<double> keys;
    QVector<double> values;
    for (const CurvePoint& point : points) {
        if (const double x = position(place_on(axis_, point)); std::isfinite(x)) {
            keys += x;
            values += point.value;
        }
    }
    if (keys.isEmpty()) {
        return;
    }
    QCPGraph* graph = plot_->addGraph(panel.rect->axis(QCPAxis::atBottom), panel.rect->axis(QCPAxis::atLeft));
    graph->setData(keys, values);
    graph->setPen(QPen(color, 1));
    graph->setName(name);
    graph->setAntialiased(false);  // dense lines
    if (keys.size() < 3) {
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, color, 5));
    }
}

void ComparePlot::add_band(const Panel& panel, const std::vector<const std::vector<CurvePoint>*>& curves,
                           const QColor& color, const QString& name) {
    QVector<double> keys;
    QVector<double> low;
    QVector<double> mean;
    QVector<double> high;
    for (const BandPoint& point : band_of(curves, axis_)) {
        const double x = position(point.x);
        if (!std::isfinite(x)) {
            continue;
        }
        keys += x;
        low += point.values.mean - point.values.deviation;
        mean += point.values.mean;
        high += point.values.mean + point.values.deviation;
    }
    if (keys.isEmpty()) {
        return;
    }
    QCPAxis* x = panel.rect->axis(QCPAxis::atBottom);
    QCPAxis* y = panel.rect->axis(QCPAxis::atLeft);
    QColor pale = color;
    pale.setAlpha(60);
    QCPGraph* lower = plot_->addGraph(x, y);
    QCPGraph* upper = plot_->addGraph(x, y);
    QCPGraph* middle = plot_->addGraph(x, y);
    lower->setData(keys, low);
    upper->setData(keys, high);
    middle->setData(keys, mean);
    for (QCPGraph* edge : {lower, upper}) {
        edge->setPen(Qt::NoPen);
    }
    upper->setBrush(pale);
    upper->setChannelFillGraph(lower);
    middle->setPen(QPen(color, 1.5));
    middle->setName(name);
}

QCPRange ComparePlot::value_range(const Panel& panel) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const QCPGraph* graph : panel.rect->graphs()) {
        bool found = false;
        const QCPRange range = graph->getValueRange(found);
        if (found) {
            low = std::min(low, range.lower);
            high = std::max(high, range.upper);
        }
    }
    if (low > high) {
        return {0, 1};
    }
    // A single value has no range of its own; a share stays about the whole.
    const bool share = metric_unit(panel.metric) == MetricUnit::Share && low >= 0 && high <= 1;
    const double least = low != 0 ? std::abs(low) * kEdge : 1;
    const double beside = high - low > least * kEdge ? (high - low) * 2 * kEdge : least * 5;
    return {low - beside, share ? std::min(high + beside, 1 + kEdge) : high + beside};
}

void ComparePlot::show_all() {
    double lower = std::numeric_limits<double>::infinity();
    double upper = -lower;
    for (int i = 0; i < plot_->graphCount(); ++i) {
        bool found = false;
        const QCPRange range = plot_->graph(i)->getKeyRange(found);
        if (found) {
            lower = std::min(lower, range.lower);
            upper = std::max(upper, range.upper);
        }
    }
    linking_ = true;
    for (const Panel& panel : panels_) {
        panel.rect->axis(QCPAxis::atLeft)->setRange(value_range(panel));
        if (upper >= lower) {
            const double beside = upper > lower ? (upper - lower) * kEdge : 1;  // no point on the border
            panel.rect->axis(QCPAxis::atBottom)->setRange(lower - beside, upper + beside);
        }
    }
    linking_ = false;
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ComparePlot::link_axes(QCPAxis* moved, const QCPRange& range) {
    if (linking_) {
        return;
    }
    linking_ = true;
    for (const Panel& panel : panels_) {
        QCPAxis* x = panel.rect->axis(QCPAxis::atBottom);
        if (x != moved) {
            x->setRange(range);
        }
    }
    linking_ = false;
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ComparePlot::hover(QMouseEvent* event) {
    const auto under = std::find_if(panels_.begin(), panels_.end(), [&](const Panel& panel) {
        return panel.rect->rect().contains(event->pos());
    });
    if (under == panels_.end() || event->buttons() != Qt::NoButton) {
        return;
    }
    const double x = under->rect->axis(QCPAxis::atBottom)->pixelToCoord(event->pos().x());
    QStringList lines;
    for (int i = 0; i < plot_->graphCount() && lines.size() < kHoverLines; ++i) {
        const QCPGraph* graph = plot_->graph(i);
        if (graph->keyAxis()->axisRect() != under->rect || graph->pen().style() == Qt::NoPen) {
            continue;
        }
        const auto at = graph->data()->findBegin(x);
        if (at != graph->data()->constEnd()) {
            lines += tr("%1: %2").arg(graph->name(), metric_value_text(under->metric, at->value));
        }
    }
    QToolTip::showText(event->globalPosition().toPoint(), plain_text(lines.join(u'\n')), plot_);
}

void ComparePlot::contextMenuEvent(QContextMenuEvent* event) {
    if (panels_.empty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(u"comparePlotMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Show everything"), this, &ComparePlot::show_all)->setShortcut(Qt::Key_0);
    QAction* x_log = menu->addAction(tr("Logarithmic &x axis"), this, &ComparePlot::xLogChanged);
    x_log->setObjectName(u"compareMenuXLog"_s);
    x_log->setShortcut(Qt::SHIFT | Qt::Key_L);
    x_log->setCheckable(true);
    x_log->setChecked(x_log_);
    menu->addSeparator();
    files_->fill(menu->addMenu(tr("&Export these plots")));
    menu->popup(event->globalPos());
}

void ComparePlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        rebuild();
    }
}

void ComparePlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool was_wide = event->oldSize().width() >= kWideEnough;
    if (was_wide != (width() >= kWideEnough)) {
        rebuild();
    }
}

void ComparePlot::keyPressEvent(QKeyEvent* event) {
    if (panels_.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    QCPAxis* x = panels_.front().rect->axis(QCPAxis::atBottom);
    switch (event->key()) {
        case Qt::Key_Plus:
            x->scaleRange(0.8);
            return;
        case Qt::Key_Minus:
            x->scaleRange(1.25);
            return;
        case Qt::Key_Left:
            x->moveRange(-0.1 * x->range().size());
            return;
        case Qt::Key_Right:
            x->moveRange(0.1 * x->range().size());
            return;
        case Qt::Key_0:
            show_all();
            return;
        case Qt::Key_L:
            if (event->modifiers().testFlag(Qt::ShiftModifier)) {
                emit xLogChanged(!x_log_);
                return;
            }
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace rankscope::gui
