// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/plot/metric_panel.h>
#include <gui/plot/plot_tickers.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kTallPad = 0.06;      ///< of the value range, above and below
constexpr double kSmoothedPad = 0.18;  ///< room for a part of the values around their average
constexpr double kFlat = 1e-6;         ///< a range below this share of the value is a constant
constexpr int kHoverRanks = 8;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(MetricPlot)
};

struct AxisRange {
    double lower = 0;
    double upper = 1;
};

/// A range that shows min to max with some room, and a constant in the middle.
AxisRange padded(const MinMax& values, double pad_share) {
    if (values.empty()) {
        return {};
    }
    const auto lower = double(values.min);
    const auto upper = double(values.max);
    const double size = std::max(std::abs(lower), std::abs(upper));
    if (size == 0) {
        return {};
    }
    const double pad = upper - lower > size * kFlat ? (upper - lower) * pad_share : size * 0.1;
    return {lower - pad, upper + pad};
}

}  // namespace

MetricPanel::MetricPanel(QCustomPlot* plot, const LiveModel* live, MetricId metric, int row, int column)
    : plot_(plot),
      live_(live),
      metric_(metric),
      name_(live->state().metrics.name(metric)),
      unit_(metric_unit(name_)),
      title_(new QCPTextElement(plot, metric_title(name_))),
      rect_(new QCPAxisRect(plot, true)),
      x_(rect_->axis(QCPAxis::atBottom)),
      y_(rect_->axis(QCPAxis::atLeft)) {
    title_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    title_->setMargins(QMargins(8, 2, 0, 0));
    plot_->plotLayout()->addElement(2 * row, column, title_);
    plot_->plotLayout()->addElement(2 * row + 1, column, rect_);
    plot_->plotLayout()->setRowStretchFactor(2 * row, 0.001);
    rect_->setRangeDrag(Qt::Horizontal);
    rect_->setRangeZoom(Qt::Horizontal);
    rect_->setMinimumMargins(QMargins(44, 6, 8, 4));
    x_->setTicker(QSharedPointer<StepTicker>::create());
    y_->setTicker(QSharedPointer<ValueTicker>::create(unit_));
    band_ = new BandPlottable(x_, y_, live_, metric_);
    band_->setVisible(false);
    if (name_ == "loss" || name_ == "acc1") {
        validation_ = plot_->addGraph(x_, y_);
        validation_->setLayer(u"marks"_s);
        validation_->setAntialiasedScatters(true);
        validation_->setLineStyle(QCPGraph::lsNone);
    }
    cursor_ = new QCPItemStraightLine(plot_);
    cursor_->setLayer(u"overlay"_s);
    cursor_->setClipAxisRect(rect_);
    for (QCPItemPosition* position : {cursor_->point1, cursor_->point2}) {
        position->setAxes(x_, y_);
        position->setAxisRect(rect_);
        position->setTypeX(QCPItemPosition::ptPlotCoords);
        position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    cursor_->setVisible(false);
    note_ = new QCPItemText(plot_);
    note_->setClipAxisRect(rect_);  // by default an item is clipped to the first panel
    note_->position->setAxisRect(rect_);
    note_->position->setType(QCPItemPosition::ptAxisRectRatio);
    note_->position->setCoords(0.5, 0.5);
    note_->setVisible(false);
}

MetricPanel::~MetricPanel() {
    for (SeriesPlottable* line : lines_) {
        plot_->removePlottable(line);
    }
    plot_->removePlottable(band_);
    if (validation_) {
        plot_->removeGraph(validation_);
    }
    plot_->removeItem(cursor_);
    plot_->removeItem(note_);
    plot_->plotLayout()->remove(title_);
    plot_->plotLayout()->remove(rect_);
}

void MetricPanel::set_look(const Look& look) {
    look_ = look;
    QFont small = look_.font;
    small.setPointSizeF(std::max(7.0, look_.font.pointSizeF() * 0.88));
    QFont bold = look_.font;
    bold.setBold(true);
    const ThemeColors& colors = look_.colors;
    title_->setFont(bold);
    title_->setTextColor(colors.muted);
    note_->setFont(look_.font);
    note_->setColor(colors.muted);
    for (QCPAxis* axis : {x_, y_}) {
        axis->setBasePen(QPen(colors.line, 1));
        axis->setTickPen(QPen(colors.line, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colors.muted);
        axis->setTickLabelFont(small);
        axis->setTickLength(0, 3);
        axis->grid()->setPen(QPen(colors.grid, 1));
        axis->grid()->setZeroLinePen(QPen(colors.grid, 1));
        axis->grid()->setSubGridVisible(false);
    }
    cursor_->setPen(QPen(colors.muted, 1, Qt::DashLine));
    QColor wide = colors.accent;
    QColor narrow = colors.accent;
    wide.setAlphaF(0.16F);
    narrow.setAlphaF(0.30F);
    band_->set_colors({wide, narrow, colors.accent, colors.bad});
    if (validation_) {
        validation_->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(colors.surface, 1), QBrush(colors.text), 9));
    }
    update_lines();
    style_lines();
}

void MetricPanel::style_lines() {
    const std::vector<int>& selected = look_.selected;
    for (SeriesPlottable* line : lines_) {
        QColor color = rank_color(line->rank(), look_.colors.dark);
        const bool chosen = std::find(selected.begin(), selected.end(), line->rank()) != selected.end();
        if (!selected.empty() && !chosen) {
            color.setAlphaF(0.22F);
        }
        line->setPen(QPen(color, 1));
        line->setLayer(chosen ? u"points"_s : u"main"_s);
        line->set_smoothing(look_.smoothing);
        line->set_mark_color(look_.colors.bad);
    }
}

std::vector<int> MetricPanel::ranks_to_draw(const std::vector<int>& reporting) const {
    if (int(reporting.size()) <= kMaxCurves) {
        return reporting;
    }
    std::vector<int> ranks = look_.selected;
    ranks.resize(std::min<std::size_t>(ranks.size(), kMaxCurves));
    return ranks;
}

void MetricPanel::update_lines() {
    std::vector<int> reporting;
    const auto& series = live_->data().series;
    for (std::size_t rank = 0; rank < series.size(); ++rank) {
        if (!series[rank].column(metric_).empty()) {
            reporting.push_back(int(rank));
        }
    }
    banded_ = int(reporting.size()) > kMaxCurves;
    band_->setVisible(banded_);
    const std::vector<int> ranks = ranks_to_draw(reporting);
    if (std::equal(ranks.begin(), ranks.end(), lines_.begin(), lines_.end(),
                   [](int rank, const SeriesPlottable* line) { return rank == line->rank(); })) {
        return;
    }
    for (SeriesPlottable* line : lines_) {
        plot_->removePlottable(line);
    }
    lines_.clear();
    for (const int rank : ranks) {
        lines_.push_back(new SeriesPlottable(x_, y_, live_, metric_, rank));
    }
    style_lines();
}

void MetricPanel::refresh() {
    update_lines();
    update_validation();
    update_y();
}

void MetricPanel::update_validation() {
    const RunState& state = live_->state();
    if (!validation_ || state.steps_per_epoch <= 0) {
        return;
    }
    if (validation_->data()->size() == int(state.validations.size())) {
        return;
    }
    validation_->data()->clear();
    for (const ValidationPoint& point : state.validations) {
        validation_->addData(point.epoch * double(state.steps_per_epoch),
                             name_ == "loss" ? point.loss : point.acc1);
    }
    title_->setText(Words::tr("%1 (◆ validation)").arg(metric_title(name_)));
}

void MetricPanel::update_y() {
    const QCPRange x = x_->range();
    MinMax range;
    if (banded_) {
        range = band_->update(x.lower, x.upper);
    }
    for (SeriesPlottable* line : lines_) {
        range.add(line->range(x.lower, x.upper));
    }
    if (validation_) {
        for (const QCPGraphData& point : *validation_->data()) {
            if (x.contains(point.key)) {
                range.add(float(point.value));
            }
        }
    }
    AxisRange axis = padded(range, look_.smoothing > 0 && !banded_ ? kSmoothedPad : kTallPad);
    const bool positive = !range.empty() && range.min >= 0;
    if (unit_ == MetricUnit::Rate && positive) {
        axis.lower = 0;
    }
    if (positive) {
        axis.lower = std::max(axis.lower, 0.0);
    }
    if (unit_ == MetricUnit::Share && !range.empty() && range.max <= 1) {
        axis.upper = std::min(axis.upper, 1.02);
    }
    y_->setRange(axis.lower, axis.upper);
    update_note(range.empty(), x.lower, x.upper);
}

void MetricPanel::update_note(bool nothing, double x0, double x1) {
    if (nothing) {
        bool any = false;
        for (const MetricSeries& rank : live_->data().series) {
            const StepAxis& steps = rank.column(metric_).steps();
            any = any || steps.lower_bound(x0) < steps.lower_bound(std::nextafter(x1, INFINITY));
        }
        note_->setText(any ? Words::tr("All values here are NaN or infinite.")
                           : Words::tr("No values between these steps."));
    }
    note_->setVisible(nothing);
    y_->setTickLabels(!nothing);
    y_->grid()->setVisible(!nothing);
}

void MetricPanel::set_cursor(double step, bool visible) {
    cursor_->setVisible(visible);
    cursor_->point1->setCoords(step, 0);
    cursor_->point2->setCoords(step, 1);
}

QStringList MetricPanel::values_at(double step) const {
    QStringList lines;
    const auto value = [&](float number) { return metric_value_text(name_, double(number)); };
    if (banded_) {
        const auto& points = band_->points();
        const auto point = std::lower_bound(points.begin(), points.end(), step,
                                            [](const AggregatePoint& a, double x) { return a.x < x; });
        if (point != points.end()) {
            lines += Words::tr("median %1").arg(value(point->median));
            lines += Words::tr("p10–p90 %1 – %2").arg(value(point->p10), value(point->p90));
            lines += Words::tr("min–max %1 – %2").arg(value(point->min), value(point->max));
        }
    }
    int shown = 0;
    for (const SeriesPlottable* line : lines_) {
        const MetricColumn& column = line->column();
        const std::size_t i = column.steps().lower_bound(step);
        if (i < column.size() && shown < kHoverRanks) {
            lines += Words::tr("rank %1: %2").arg(line->rank()).arg(value(column.at(i)));
            ++shown;
        }
    }
    return lines;
}

}  // namespace rankscope::gui
