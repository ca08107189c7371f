// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QKeyEvent>
#include <QLabel>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr double kZoomStep = 1.25;
constexpr double kSmallestSpan = 4;  ///< steps
constexpr int kHoverRanks = 8;
constexpr double kTallPad = 0.06;  ///< of the value range, above and below

/// Axis labels as percent.
class PercentTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const double percent = tick * 100;
        const bool whole = std::abs(percent - std::round(percent)) < 1e-6;
        return QString(QString::number(percent, 'f', whole ? 0 : 1) % u" %"_s);
    }
};

/// Axis labels short: 1500 → 1.5k.
class ShortTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const double size = std::abs(tick);
        if (size >= 1e6) {
            return QString(QString::number(tick / 1e6, 'g', 4) % u'M');
        }
        return size >= 1e4 ? QString(QString::number(tick / 1e3, 'g', 4) % u'k')
                           : QString::number(tick, 'g', 5);
    }
};

/// Whole steps only.
class StepTicker : public ShortTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, QCPAxisTicker::getTickStep(range));
    }
    QVector<double> createSubTickVector(int, const QVector<double>&) override { return {}; }
};

/// The end of a growing range, rounded up in steps of at most an eighth: a new sample then seldom moves the
/// picture.
double snapped_end(double first, double last) {
    const double span = std::max(last - first, 8.0);
    const double unit = std::pow(2.0, std::floor(std::log2(span))) / 8;
    return first + std::ceil(span / unit) * unit;
}

}  // namespace

MetricPlot::MetricPlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)) {
    setObjectName(u"metricPlot"_s);
    setAccessibleName(tr("Curves of loss, accuracy and throughput"));
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    plot_->setMinimumHeight(120);
    empty_ = make_label(tr("No measurements yet: the curves begin with the first step."), plot_, "muted");
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
    empty_->hide();
    plot_->setFocusProxy(this);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    make_panels();
    style_panels();
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { set_following(true); });
    connect(plot_, &QCustomPlot::mouseMove, this, &MetricPlot::hover);
}

MetricPlot::~MetricPlot() = default;

void MetricPlot::make_panels() {
    plot_->plotLayout()->clear();
    plot_->plotLayout()->setRowSpacing(0);
    plot_->plotLayout()->setColumnSpacing(14);
    const std::array<QString, kMetricCount> titles{tr("Loss"), tr("Accuracy (◆ validation)"),
                                                   tr("Images/s per rank")};
    for (std::size_t i = 0; i < kMetricCount; ++i) {
        Panel& panel = panels_[i];
        panel.metric = Metric(i);
        panel.title = new QCPTextElement(plot_, titles[i]);
        panel.title->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
        panel.title->setMargins(QMargins(8, 2, 0, 0));
        plot_->plotLayout()->addElement(0, int(i), panel.title);
        panel.rect = new QCPAxisRect(plot_, true);
        plot_->plotLayout()->addElement(1, int(i), panel.rect);
        panel.rect->setRangeDrag(Qt::Horizontal);
        panel.rect->setRangeZoom(Qt::Horizontal);
        panel.rect->setRangeZoomFactor(1 / kZoomStep);
        panel.rect->setMinimumMargins(QMargins(44, 6, 8, 4));
        panel.x = panel.rect->axis(QCPAxis::atBottom);
        panel.y = panel.rect->axis(QCPAxis::atLeft);
        panel.x->setTicker(QSharedPointer<StepTicker>::create());
        if (panel.metric == Metric::Accuracy) {
            panel.y->setTicker(QSharedPointer<PercentTicker>::create());
        } else {
            panel.y->setTicker(QSharedPointer<ShortTicker>::create());
        }
        panel.x->ticker()->setTickCount(5);
        panel.y->ticker()->setTickCount(5);
        connect(panel.x, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, &MetricPlot::user_moved_x);
    }
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    plot_->layer(u"overlay"_s)->setMode(QCPLayer::lmBuffered);
    plot_->addLayer(u"points"_s, plot_->layer(u"main"_s));
    plot_->addLayer(u"marks"_s, plot_->layer(u"points"_s));
    for (Panel& panel : panels_) {
        panel.cursor = new QCPItemStraightLine(plot_);
        panel.cursor->setLayer(u"overlay"_s);
        panel.cursor->setClipAxisRect(panel.rect);
        for (QCPItemPosition* position : {panel.cursor->point1, panel.cursor->point2}) {
            position->setAxes(panel.x, panel.y);
            position->setAxisRect(panel.rect);
            position->setTypeX(QCPItemPosition::ptPlotCoords);
            position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        }
        panel.cursor->setVisible(false);
        panel.absent = new QCPItemText(plot_);
        panel.absent->setText(panel.metric == Metric::Throughput ? tr("The ranks report no images/s.")
                              : panel.metric == Metric::Accuracy ? tr("The ranks report no accuracy.")
                                                                 : tr("The ranks report no loss."));
        panel.absent->position->setAxisRect(panel.rect);
        panel.absent->position->setType(QCPItemPosition::ptAxisRectRatio);
        panel.absent->position->setCoords(0.5, 0.5);
        panel.absent->setVisible(false);
    }
}

void MetricPlot::style_panels() {
    const ThemeColors colors = theme_colors(palette());
    plot_->setBackground(QBrush(colors.surface));
    QFont small = font();
    small.setPointSizeF(std::max(7.0, font().pointSizeF() * 0.88));
    QFont title = font();
    title.setBold(true);
    for (Panel& panel : panels_) {
        panel.title->setFont(title);
        panel.title->setTextColor(colors.muted);
        panel.absent->setFont(font());
        panel.absent->setColor(colors.muted);
        for (QCPAxis* axis : {panel.x, panel.y}) {
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
        panel.cursor->setPen(QPen(colors.muted, 1, Qt::DashLine));
        if (panel.band) {
            QColor wide = colors.accent;
            QColor narrow = colors.accent;
            wide.setAlphaF(0.16F);
            narrow.setAlphaF(0.30F);
            panel.band->set_colors(wide, narrow, colors.accent);
        }
        if (panel.validation) {
            QCPScatterStyle diamond(QCPScatterStyle::ssDiamond, QPen(colors.surface, 1), QBrush(colors.text),
                                    9);
            panel.validation->setScatterStyle(diamond);
            panel.validation->setLineStyle(QCPGraph::lsNone);
        }
    }
    style_lines();
}

void MetricPlot::style_lines() {
    const ThemeColors colors = theme_colors(palette());
    for (Panel& panel : panels_) {
        for (SeriesPlottable* line : panel.lines) {
            QColor color = rank_color(line->rank(), colors.dark);
            const bool chosen =
                std::find(selected_.begin(), selected_.end(), line->rank()) != selected_.end();
            if (!selected_.empty() && !chosen) {
                color.setAlphaF(0.22F);
            }
            line->setPen(QPen(color, 1));
            line->setLayer(chosen ? u"points"_s : u"main"_s);
            line->set_smoothing(smoothing_);
        }
    }
}

void MetricPlot::set_live(LiveModel* live) {
    live_ = live;
    known_ranks_ = -1;
    selected_.clear();
    for (Panel& panel : panels_) {
        for (SeriesPlottable* line : panel.lines) {
            plot_->removePlottable(line);
        }
        panel.lines.clear();
        if (panel.band) {
            plot_->removePlottable(panel.band);
        }
        if (!panel.validation) {
            panel.validation = plot_->addGraph(panel.x, panel.y);
            panel.validation->setLayer(u"marks"_s);
            panel.validation->setAntialiasedScatters(true);
        }
        panel.validation->data()->clear();
        panel.band = new BandPlottable(panel.x, panel.y, live, panel.metric);
        panel.band->setVisible(false);
    }
    style_panels();
    set_following(true);
    refresh();
}

std::vector<int> MetricPlot::ranks_to_draw() const {
    const int count = int(live_->data().series.size());
    if (band_mode_) {
        std::vector<int> ranks = selected_;
        ranks.resize(std::min<std::size_t>(ranks.size(), kMaxCurves));
        return ranks;
    }
    std::vector<int> all;
    for (int rank = 0; rank < count; ++rank) {
        all.push_back(rank);
    }
    return all;
}

void MetricPlot::rebuild_lines() {
    const int count = int(live_->data().series.size());
    known_ranks_ = count;
    band_mode_ = count > kMaxCurves;
    const std::vector<int> ranks = ranks_to_draw();
    for (Panel& panel : panels_) {
        for (SeriesPlottable* line : panel.lines) {
            plot_->removePlottable(line);
        }
        panel.lines.clear();
        for (const int rank : ranks) {
            panel.lines.push_back(new SeriesPlottable(panel.x, panel.y, live_, panel.metric, rank));
        }
        panel.band->setVisible(band_mode_);
    }
    style_lines();
}

void MetricPlot::set_selected_ranks(const std::vector<int>& ranks) {
    if (ranks == selected_ || !live_) {
        return;
    }
    selected_ = ranks;
    rebuild_lines();
    refresh();
}

void MetricPlot::set_smoothing(double alpha) {
    smoothing_ = alpha;
    style_lines();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::set_following(bool follow) {
    if (follow_ != follow) {
        follow_ = follow;
        emit followingChanged(follow);
    }
    if (follow) {
        refresh();
    }
}

void MetricPlot::refresh() {
    if (!live_) {
        return;
    }
    if (int(live_->data().series.size()) != known_ranks_) {
        rebuild_lines();
    }
    if (live_->data().went_back != went_back_) {
        went_back_ = live_->data().went_back;
        for (Panel& panel : panels_) {
            panel.band->clear_cache();
        }
    }
    const bool nothing = std::all_of(live_->data().series.begin(), live_->data().series.end(),
                                     [](const MetricSeries& series) { return series.empty(); });
    if (nothing != empty_->isVisible()) {
        show_nothing(nothing);
    }
    update_x();
    update_validation();
    for (Panel& panel : panels_) {
        update_y(panel);
        update_absent(panel, nothing);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::show_nothing(bool nothing) {
    empty_->setVisible(nothing);
    empty_->setGeometry(plot_->rect());
    for (Panel& panel : panels_) {
        panel.x->setTickLabels(!nothing);
        panel.y->setTickLabels(!nothing);
        panel.x->grid()->setVisible(!nothing);
        panel.y->grid()->setVisible(!nothing);
    }
}

void MetricPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    empty_->setGeometry(plot_->rect());
}

QCPRange MetricPlot::x_range() const {
    return panels_[0].x->range();
}

void MetricPlot::set_x(double lower, double upper) {
    setting_range_ = true;
    for (Panel& panel : panels_) {
        panel.x->setRange(lower, upper);
    }
    setting_range_ = false;
}

void MetricPlot::update_x() {
    if (!follow_) {
        return;
    }
    const double last = live_->data().last_step();
    const double first = std::min(live_->data().first_step(), last);
    if (live_->state().outcome == Outcome::Running) {
        set_x(first, snapped_end(first, last));
    } else {
        const double span = std::max(last - first, 1.0);
        set_x(first - span * 0.01, last + span * 0.015);
    }
}

void MetricPlot::update_y(Panel& panel) {
    const QCPRange x = panel.x->range();
    MinMax range;
    if (band_mode_) {
        range = panel.band->update(x.lower, x.upper);
    }
    for (const SeriesPlottable* line : panel.lines) {
        range.add(live_->data().series[std::size_t(line->rank())].range(panel.metric, x.lower, x.upper));
    }
    if (panel.validation) {
        for (const QCPGraphData& point : *panel.validation->data()) {
            if (x.contains(point.key)) {
                range.add(float(point.value));
            }
        }
    }
    double lower = range.empty() ? 0 : double(range.min);
    double upper = range.empty() ? 1 : double(range.max);
    if (panel.metric == Metric::Throughput) {
        lower = 0;
    }
    const double pad = std::max((upper - lower) * kTallPad, std::max(std::abs(upper) * 1e-3, 1e-6));
    lower = panel.metric == Metric::Throughput ? 0 : lower - pad;
    upper += pad;
    if (panel.metric == Metric::Loss && !range.empty() && range.min >= 0) {
        lower = std::max(lower, 0.0);
    }
    if (panel.metric == Metric::Accuracy) {
        lower = std::max(lower, 0.0);
        upper = std::min(upper, 1.02);
    }
    panel.y->setRange(lower, upper);
}

void MetricPlot::update_absent(Panel& panel, bool nothing) {
    const auto& series = live_->data().series;
    const double all = std::numeric_limits<double>::max();
    const bool reported = nothing || !panel.validation->data()->isEmpty() ||
                          std::any_of(series.begin(), series.end(), [&](const MetricSeries& one) {
                              return !one.range(panel.metric, -all, all).empty();
                          });
    if (reported == panel.absent->visible()) {
        panel.absent->setVisible(!reported);
        for (QCPAxis* axis : {panel.x, panel.y}) {
            axis->setTickLabels(reported && !nothing);
            axis->grid()->setVisible(reported && !nothing);
        }
    }
}

void MetricPlot::update_validation() {
    const RunState& state = live_->state();
    Panel& panel = panels_[std::size_t(Metric::Accuracy)];
    Panel& loss = panels_[std::size_t(Metric::Loss)];
    if (state.steps_per_epoch <= 0 || panel.validation->data()->size() == int(state.validations.size())) {
        return;
    }
    panel.validation->data()->clear();
    loss.validation->data()->clear();
    for (const ValidationPoint& point : state.validations) {
        const double step = point.epoch * double(state.steps_per_epoch);
        panel.validation->addData(step, point.acc1);
        loss.validation->addData(step, point.loss);
    }
}

void MetricPlot::user_moved_x(const QCPRange& range) {
    if (setting_range_ || !live_) {
        return;
    }
    const double first = live_->data().first_step();
    const double last = std::max(live_->data().last_step(), first + 1);
    const double room = (last - first) * 0.125 + 2;
    const double span = std::clamp(range.size(), kSmallestSpan, last - first + 2 * room);
    double lower = range.lower;
    lower = std::clamp(lower, first - room, std::max(first - room, last + room - span));
    set_x(lower, lower + span);
    if (follow_) {
        follow_ = false;
        emit followingChanged(false);
    }
    for (Panel& panel : panels_) {
        update_y(panel);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::zoom(double factor, double center) {
    const QCPRange range = x_range();
    user_moved_x(
        QCPRange(center - (center - range.lower) * factor, center + (range.upper - center) * factor));
}

void MetricPlot::pan(double share) {
    const QCPRange range = x_range();
    user_moved_x(QCPRange(range.lower + range.size() * share, range.upper + range.size() * share));
}

void MetricPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(1 / kZoomStep, x_range().center());
            break;
        case Qt::Key_Minus:
            zoom(kZoomStep, x_range().center());
            break;
        case Qt::Key_Left:
            pan(-0.15);
            break;
        case Qt::Key_Right:
            pan(0.15);
            break;
        case Qt::Key_0:
        case Qt::Key_Home:
            set_following(true);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

void MetricPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        style_panels();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
}

void MetricPlot::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    for (Panel& panel : panels_) {
        panel.cursor->setVisible(false);
    }
    plot_->layer(u"overlay"_s)->replot();
}

void MetricPlot::hover(QMouseEvent* event) {
    if (!live_ || live_->data().series.empty() || event->buttons() != Qt::NoButton) {
        return;
    }
    const Panel* at = nullptr;
    for (const Panel& panel : panels_) {
        if (panel.rect->rect().contains(event->pos())) {
            at = &panel;
        }
    }
    const double step = at ? std::round(at->x->pixelToCoord(event->pos().x())) : 0;
    for (Panel& panel : panels_) {
        panel.cursor->setVisible(at != nullptr);
        panel.cursor->point1->setCoords(step, 0);
        panel.cursor->point2->setCoords(step, 1);
    }
    plot_->layer(u"overlay"_s)->replot();
    const QString text = at ? hover_text(*at, step) : QString();
    if (text.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(14, 14), text, plot_);
    }
}

QString MetricPlot::value_text(Metric metric, double value) const {
    switch (metric) {
        case Metric::Loss:
            return QString::number(value, 'f', 4);
        case Metric::Accuracy:
            return percent_text(value);
        case Metric::Throughput:
            return count_text(std::llround(value));
    }
    return {};
}

QString MetricPlot::hover_text(const Panel& panel, double step) const {
    QStringList lines;
    if (band_mode_) {
        const auto& points = panel.band->points();
        auto point = std::lower_bound(points.begin(), points.end(), step,
                                      [](const AggregatePoint& a, double x) { return a.x < x; });
        if (point != points.end()) {
            lines += tr("median %1").arg(value_text(panel.metric, double(point->median)));
            lines += tr("p10–p90 %1 – %2")
                         .arg(value_text(panel.metric, double(point->p10)),
                              value_text(panel.metric, double(point->p90)));
            lines += tr("min–max %1 – %2")
                         .arg(value_text(panel.metric, double(point->min)),
                              value_text(panel.metric, double(point->max)));
        }
    }
    int shown = 0;
    for (const SeriesPlottable* line : panel.lines) {
        const MetricSeries& series = live_->data().series[std::size_t(line->rank())];
        const std::size_t i = series.steps().lower_bound(step);
        if (i >= series.steps().size() || shown >= kHoverRanks) {
            continue;
        }
        const float value = series.column(panel.metric).at(i);
        if (std::isfinite(value)) {
            lines += tr("rank %1: %2").arg(line->rank()).arg(value_text(panel.metric, double(value)));
            ++shown;
        }
    }
    if (lines.isEmpty()) {
        return {};
    }
    lines.prepend(tr("step %1").arg(count_text(std::int64_t(step))));
    return lines.join(u'\n');
}

}  // namespace rankscope::gui
