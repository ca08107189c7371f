// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kZoomStep = 1.25;
constexpr double kSmallestSpan = 4;  ///< steps
constexpr int kPanelWidth = 270;     ///< at least, when panels share a row
constexpr int kPanelHeight = 104;    ///< at least; more panels than fit scroll
constexpr int kSinglePanelHeight = 118;

/// The end of a growing range, rounded up in steps of at most an eighth: a new sample then seldom moves the
/// picture.
double snapped_end(double first, double last) {
    const double span = std::max(last - first, 8.0);
    const double unit = std::pow(2.0, std::floor(std::log2(span))) / 8;
    return first + std::ceil(span / unit) * unit;
}

}  // namespace

MetricPlot::MetricPlot(QWidget* parent)
    : QWidget(parent), scroll_(new QScrollArea(this)), plot_(new QCustomPlot) {
    setObjectName(u"metricPlot"_s);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll_);
    scroll_->setObjectName(u"metricScroll"_s);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidget(plot_);
    scroll_->setMinimumHeight(120);
    message_ = make_label({}, this, "muted");
    message_->setObjectName(u"metricMessage"_s);
    message_->setAlignment(Qt::AlignCenter);
    message_->setWordWrap(true);
    message_->setAttribute(Qt::WA_TransparentForMouseEvents);
    message_->hide();
    plot_->setFocusProxy(this);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->plotLayout()->clear();
    plot_->plotLayout()->setRowSpacing(0);
    plot_->plotLayout()->setColumnSpacing(14);
    plot_->layer(u"overlay"_s)->setMode(QCPLayer::lmBuffered);
    plot_->addLayer(u"points"_s, plot_->layer(u"main"_s));
    plot_->addLayer(u"marks"_s, plot_->layer(u"points"_s));
    style_panels();
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { set_following(true); });
    connect(plot_, &QCustomPlot::mouseMove, this, &MetricPlot::hover);
}

MetricPlot::~MetricPlot() {
    panels_.clear();  // before the plot that holds their parts
}

std::vector<MetricId> MetricPlot::reported_metrics() const {
    std::vector<MetricId> metrics;
    for (const std::string& name : wanted_) {
        const auto id = live_->state().metrics.find(name);
        const auto& series = live_->data().series;
        if (id && std::any_of(series.begin(), series.end(),
                              [&](const MetricSeries& rank) { return !rank.column(*id).empty(); })) {
            metrics.push_back(*id);
        }
    }
    return metrics;
}

// As many side by side as are wide enough, the last row as full as the others.
int MetricPlot::columns_for(std::size_t panels) const {
    const int fit = std::max(width() / kPanelWidth, 1);
    const int count = std::max(int(panels), 1);
    const int rows = (count + fit - 1) / fit;
    return (count + rows - 1) / rows;
}

void MetricPlot::update_panels() {
    if (!live_) {
        return;
    }
    const std::vector<MetricId> metrics = reported_metrics();
    const int columns = columns_for(metrics.size());
    if (metrics != metrics_ || columns != columns_ || panels_.size() != metrics.size()) {
        make_panels(metrics, columns);
    }
    update_message();
}

void MetricPlot::make_panels(const std::vector<MetricId>& metrics, int columns) {
    panels_.clear();
    plot_->plotLayout()->simplify();
    metrics_ = metrics;
    columns_ = columns;
    QStringList titles;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        panels_.push_back(
            std::make_unique<MetricPanel>(plot_, live_, metrics[i], int(i) / columns, int(i) % columns));
        MetricPanel& panel = *panels_.back();
        panel.rect()->setRangeZoomFactor(1 / kZoomStep);
        connect(panel.x(), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                &MetricPlot::user_moved_x);
        titles += panel.title();
    }
    const int rows = (int(metrics.size()) + columns - 1) / columns;
    plot_->setMinimumHeight(rows > 1 ? rows * kPanelHeight : kSinglePanelHeight);
    setAccessibleName(tr("Curves: %1").arg(titles.join(u", "_s)));
    set_x(x_range_.lower, x_range_.upper);
    style_panels();
}

void MetricPlot::style_panels() {
    const ThemeColors colors = theme_colors(palette());
    plot_->setBackground(QBrush(colors.surface));
    for (const auto& panel : panels_) {
        panel->set_look({colors, font(), smoothing_, selected_});
    }
}

void MetricPlot::set_live(LiveModel* live) {
    live_ = live;
    panels_.clear();
    metrics_.clear();
    columns_ = 0;
    selected_.clear();
    set_following(true);
    refresh();
}

void MetricPlot::set_metrics(const std::vector<std::string>& names) {
    if (names == wanted_) {
        return;
    }
    wanted_ = names;
    refresh();
}

std::vector<std::string> MetricPlot::shown_metrics() const {
    std::vector<std::string> names;
    for (const auto& panel : panels_) {
        names.push_back(panel->name());
    }
    return names;
}

bool MetricPlot::draws_band() const {
    return live_ && int(live_->data().series.size()) > kMaxCurves;
}

void MetricPlot::set_selected_ranks(const std::vector<int>& ranks) {
    if (ranks == selected_ || !live_) {
        return;
    }
    selected_ = ranks;
    style_panels();
    refresh();
}

void MetricPlot::set_smoothing(double alpha) {
    smoothing_ = alpha;
    style_panels();
    refresh();
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
    update_panels();
    if (live_->data().rewinds != rewinds_) {
        rewinds_ = live_->data().rewinds;
        for (const auto& panel : panels_) {
            panel->clear_cache();
        }
    }
    update_x();
    for (const auto& panel : panels_) {
        panel->refresh();
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::update_message() {
    const bool over = live_->state().outcome != Outcome::Running;
    QString text;
    if (panels_.empty() && live_->state().metrics.size() > 0) {
        text = wanted_.empty()
                   ? tr("No metrics are chosen. Choose some under Metrics.")
                   : tr("This run does not report the chosen metrics. Choose others under Metrics.");
    } else if (panels_.empty()) {
        text = over ? tr("This run reported no measurements.")
                    : tr("No measurements yet. The curves begin with the first step.");
    }
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
    message_->setGeometry(rect().adjusted(12, 0, -12, 0));
}

QString MetricPlot::message() const {
    return message_->text();
}

void MetricPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    message_->setGeometry(rect().adjusted(12, 0, -12, 0));
    if (live_ && columns_for(metrics_.size()) != columns_) {
        refresh();
    }
}

QCPRange MetricPlot::x_range() const {
    return x_range_;
}

void MetricPlot::set_x(double lower, double upper) {
    setting_range_ = true;
    x_range_ = QCPRange(lower, upper);
    for (const auto& panel : panels_) {
        panel->x()->setRange(lower, upper);
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
    for (const auto& panel : panels_) {
        panel->update_y();
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
    for (const auto& panel : panels_) {
        panel->set_cursor(0, false);
    }
    plot_->layer(u"overlay"_s)->replot();
}

void MetricPlot::hover(QMouseEvent* event) {
    if (panels_.empty() || event->buttons() != Qt::NoButton) {
        return;
    }
    const auto at = std::find_if(panels_.begin(), panels_.end(), [&](const auto& panel) {
        return panel->rect()->rect().contains(event->pos());
    });
    const bool inside = at != panels_.end();
    const double step = inside ? std::round((*at)->x()->pixelToCoord(event->pos().x())) : 0;
    for (const auto& panel : panels_) {
        panel->set_cursor(step, inside);
    }
    plot_->layer(u"overlay"_s)->replot();
    QStringList lines = inside ? (*at)->values_at(step) : QStringList();
    if (lines.isEmpty()) {
        QToolTip::hideText();
        return;
    }
    lines.prepend(tr("step %1").arg(count_text(std::int64_t(step))));
    QToolTip::showText(event->globalPosition().toPoint() + QPoint(14, 14), lines.join(u'\n'), plot_);
}

}  // namespace rankscope::gui
