// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_hand.h>
#include <gui/plot/plot_moment.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QContextMenuEvent>
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
constexpr int kWorkers = 2;  ///< a picture need not wait for a count
constexpr int kMoreMs = 15;  ///< between two parts of a long computation: the window answers

/// The end of a growing range, rounded up in steps of at most an eighth: a new sample then seldom moves the
/// picture.
double snapped_end(double first, double last) {
    const double span = std::max(last - first, 8.0);
    const double unit = std::pow(2.0, std::floor(std::log2(span))) / 8;
    return first + std::ceil(span / unit) * unit;
}

}  // namespace

MetricPlot::MetricPlot(QWidget* parent)
    : QWidget(parent), scroll_(new QScrollArea(this)), plot_(new QCustomPlot), moment_(new PlotMoment(this)) {
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
    plot_->setContextMenuPolicy(Qt::CustomContextMenu);  // it passes no event of the mouse on to us
    connect(plot_, &QWidget::customContextMenuRequested, this, &MetricPlot::open_menu);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->plotLayout()->clear();
    plot_->plotLayout()->setRowSpacing(0);
    plot_->plotLayout()->setColumnSpacing(14);
    plot_->layer(u"overlay"_s)->setMode(QCPLayer::lmBuffered);
    plot_->addLayer(u"events"_s, plot_->layer(u"grid"_s));
    plot_->addLayer(u"points"_s, plot_->layer(u"main"_s));
    plot_->addLayer(u"marks"_s, plot_->layer(u"points"_s));
    style_panels();
    connect(plot_, &QCustomPlot::afterLayout, this, [this] {
        for (const auto& panel : panels_) {
            panel->wrap_note();
        }
    });
    pool_.setMaxThreadCount(kWorkers);
    more_.setSingleShot(true);
    more_.setInterval(kMoreMs);
    connect(&more_, &QTimer::timeout, this, &MetricPlot::redraw);
    hand_ = new PlotHand(this);
}

MetricPlot::~MetricPlot() {
    panels_.clear();  // before the plot that holds their parts
    pool_.waitForDone();
}

std::vector<std::string> MetricPlot::reported_metrics() const {
    std::vector<std::string> names;
    const auto& series = live_->data().series;
    for (const std::string& name : wanted_) {
        const auto id = live_->state().metrics.find(name);
        const bool reported = id && std::any_of(series.begin(), series.end(), [&](const MetricSeries& rank) {
                                  return !rank.column(*id).empty();
                              });
        const bool formula = formula_of(name) && live_->state().metrics.size() > 0;
        if (reported || formula) {
            names.push_back(name);
        }
    }
    return names;
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
    const std::vector<std::string> names = reported_metrics();
    const int columns = columns_for(names.size());
    if (names != names_ || columns != columns_ || panels_.size() != names.size()) {
        make_panels(names, columns);
    }
    update_message();
}

void MetricPlot::make_panels(const std::vector<std::string>& names, int columns) {
    panels_.clear();
    plot_->plotLayout()->simplify();
    names_ = names;
    columns_ = columns;
    QStringList titles;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const MetricPanel::Place place{
            plot_, live_, &scale_, &pool_, &moment_->marked(), int(i) / columns, int(i) % columns};
        panels_.push_back(std::make_unique<MetricPanel>(place, names[i]));
        MetricPanel& panel = *panels_.back();
        panel.set_at_once(at_once_);
        panel.set_settings(settings(panel.name()));
        connect(&panel.view(), &RankView::counted, this, &MetricPlot::redraw);
        connect(panel.heat_map(), &HeatMap::painted, this, &MetricPlot::redraw);
        connect(panel.picture(), &CurvePicture::painted, plot_,
                [plot = plot_] { plot->replot(QCustomPlot::rpQueuedReplot); });
        titles += panel.title();
    }
    const int rows = (int(names.size()) + columns - 1) / columns;
    plot_->setMinimumHeight(rows > 1 ? rows * kPanelHeight : kSinglePanelHeight);
    setAccessibleName(tr("Curves: %1").arg(titles.join(u", "_s)));
    set_x(x_range_.lower, x_range_.upper);
    style_panels();
}

void MetricPlot::style_panels() {
    const ThemeColors colors = theme_colors(palette());
    plot_->setBackground(QBrush(colors.surface));
    for (const auto& panel : panels_) {
        const bool current = panel->name() == current_;
        panel->set_look({colors, font(), smoothing_, selected_, current});
    }
}

void MetricPlot::set_live(LiveModel* live) {
    live_ = live;
    panels_.clear();
    names_.clear();
    columns_ = 0;
    selected_.clear();
    moment_->clear();
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
    return std::any_of(panels_.begin(), panels_.end(), [](const auto& panel) { return panel->draws_band(); });
}

PanelSettings MetricPlot::settings(const std::string& name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? PanelSettings() : found->second;
}

void MetricPlot::set_settings(const std::string& name, const PanelSettings& settings) {
    if (this->settings(name) == settings) {
        return;
    }
    settings_[name] = settings;
    for (const auto& panel : panels_) {
        if (panel->name() == name) {
            panel->set_settings(settings);
        }
    }
    redraw();
    emit settingsChanged(name);
}

void MetricPlot::set_all_settings(std::map<std::string, PanelSettings> settings) {
    settings_ = std::move(settings);
    for (const auto& panel : panels_) {
        panel->set_settings(this->settings(panel->name()));
    }
    redraw();
}

void MetricPlot::set_at_once(bool on) {
    at_once_ = on;
    for (const auto& panel : panels_) {
        panel->set_at_once(on);
    }
}

void MetricPlot::set_x_unit(XUnit unit) {
    if (unit == x_unit_) {
        return;
    }
    const double first = scale_.step_at(x_range_.lower);
    const double last = scale_.step_at(x_range_.upper);
    x_unit_ = unit;
    if (live_) {
        scale_.update(live_->data(), x_unit_);
        set_x(scale_.of_step(first), scale_.of_step(last));  // the same steps remain in view
        refresh();
    }
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
        for (auto& [name, settings] : settings_) {
            settings.y.reset();
        }
        for (const auto& panel : panels_) {
            panel->set_settings(settings(panel->name()));
        }
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
    redraw();
}

void MetricPlot::redraw() {
    if (!live_) {
        return;
    }
    scale_.update(live_->data(), x_unit_);
    update_x();
    for (const auto& panel : panels_) {
        panel->refresh();
        if (panel->computing()) {
            more_.start();
        }
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
    if (live_ && columns_for(names_.size()) != columns_) {
        refresh();
    }
}

QCPRange MetricPlot::x_range() const {
    return x_range_;
}

void MetricPlot::set_x(double lower, double upper) {
    x_range_ = QCPRange(lower, upper);
    for (const auto& panel : panels_) {
        panel->x()->setRange(lower, upper);
    }
}

void MetricPlot::update_x() {
    if (!follow_) {
        return;
    }
    const double last = live_->data().last_step();
    const double first = std::min(live_->data().first_step(), last);
    if (live_->state().outcome == Outcome::Running) {
        set_x(scale_.of_step(first), scale_.of_step(snapped_end(first, last)));
    } else {
        const double lower = scale_.of_step(first);
        const double span = std::max(scale_.of_step(std::max(last, first + 1)) - lower, 1e-9);
        set_x(lower - span * 0.01, lower + span * 1.015);
    }
}

void MetricPlot::show_x(double lower, double upper) {
    if (!live_ || !(lower < upper)) {
        return;
    }
    const double first_step = live_->data().first_step();
    const double last_step = std::max(live_->data().last_step(), first_step + 1);
    const double first = scale_.of_step(first_step);
    const double last = std::max(scale_.of_step(last_step), first + 1e-9);
    const double of_one = (last - first) / (last_step - first_step);
    const double room = (last - first) * 0.125 + 2 * of_one;
    const double span = std::clamp(upper - lower, kSmallestSpan * of_one,
                                   std::max(last - first + 2 * room, kSmallestSpan * of_one));
    const double from = std::clamp(lower, first - room, std::max(first - room, last + room - span));
    set_x(from, from + span);
    if (follow_) {
        follow_ = false;
        emit followingChanged(false);
    }
    for (const auto& panel : panels_) {
        panel->update_y();
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::zoom_x(double factor, double center) {
    const QCPRange range = x_range();
    show_x(center - (center - range.lower) * factor, center + (range.upper - center) * factor);
}

void MetricPlot::zoom_y(MetricPanel* panel, double factor, double center) {
    const QCPRange range = panel->y()->range();
    PanelSettings settings = panel->settings();
    ValueRange zoomed;
    if (panel->y()->scaleType() == QCPAxis::stLogarithmic && range.lower > 0 && center > 0) {
        zoomed = {center * std::pow(range.lower / center, factor),
                  center * std::pow(range.upper / center, factor)};
    } else {
        zoomed = {center - (center - range.lower) * factor, center + (range.upper - center) * factor};
    }
    const double size = std::max({std::abs(zoomed.lower), std::abs(zoomed.upper), 1e-30});
    if (!std::isfinite(zoomed.lower) || !std::isfinite(zoomed.upper) ||
        zoomed.upper - zoomed.lower < size * 1e-9) {
        return;
    }
    settings.y = zoomed;
    set_settings(panel->name(), settings);
}

void MetricPlot::pan(double share) {
    const QCPRange range = x_range();
    show_x(range.lower + range.size() * share, range.upper + range.size() * share);
}

MetricPanel* MetricPlot::panel_at(const QPoint& place) const {
    for (const auto& panel : panels_) {
        if (panel->title_rect().contains(place) || panel->rect()->outerRect().contains(place)) {
            return panel.get();
        }
    }
    return nullptr;
}

void MetricPlot::move_panel(const std::string& name, std::size_t before) {
    const std::vector<std::string> shown = shown_metrics();
    std::vector<std::string> names = wanted_;
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
        return;
    }
    names.erase(at);
    // Beside the panel that is there now: those without values stand between.
    const auto next =
        before < shown.size() ? std::find(names.begin(), names.end(), shown[before]) : names.end();
    if (before < shown.size() && shown[before] == name) {
        return;
    }
    names.insert(next, name);
    if (names != wanted_) {
        set_metrics(names);
        emit arranged(names);
    }
}

void MetricPlot::set_current(const MetricPanel* panel) {
    if (panel && panel->name() != current_) {
        current_ = panel->name();
        style_panels();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
}

void MetricPlot::step_current(int by) {
    if (panels_.empty()) {
        return;
    }
    const auto at = std::find_if(panels_.begin(), panels_.end(),
                                 [&](const auto& panel) { return panel->name() == current_; });
    const int count = int(panels_.size());
    const int index = at == panels_.end() ? (by > 0 ? 0 : count - 1) : int(at - panels_.begin()) + by;
    const MetricPanel& panel = *panels_[std::size_t(std::clamp(index, 0, count - 1))];
    set_current(&panel);
    const QPoint middle = panel.rect()->rect().center();
    scroll_->ensureVisible(middle.x(), middle.y(), 0, panel.rect()->outerRect().height());
}

bool MetricPlot::change_current(int key) {
    PanelSettings settings = this->settings(current_);
    if (key == Qt::Key_H) {
        settings.heat = !settings.heat;
    } else if (key == Qt::Key_L) {
        settings.log = !settings.log;
    } else {
        return false;
    }
    settings.y.reset();
    set_settings(current_, settings);
    return true;
}

void MetricPlot::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (current_.empty()) {
            step_current(1);
        }
        for (const auto& panel : panels_) {
            if (panel->name() == current_) {
                emit menuRequested(current_, plot_->mapToGlobal(panel->rect()->rect().topLeft()),
                                   moment_->for_keys());
            }
        }
    }
    event->accept();
}

void MetricPlot::open_menu(const QPoint& place) {
    if (const MetricPanel* panel = panel_at(place)) {
        set_current(panel);
        emit menuRequested(panel->name(), plot_->mapToGlobal(place), moment_->at(place));
    }
}

void MetricPlot::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Escape && hand_->cancel()) || moment_->take_key(*event)) {
        return;
    }
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom_x(1 / kZoomStep, x_range().center());
            break;
        case Qt::Key_Minus:
            zoom_x(kZoomStep, x_range().center());
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
        case Qt::Key_Up:
            step_current(-1);
            break;
        case Qt::Key_Down:
            step_current(1);
            break;
        default:
            if (!change_current(event->key())) {
                QWidget::keyPressEvent(event);
            }
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
    show_cursor(0, false);
}

void MetricPlot::show_cursor(double x, bool visible) {
    for (const auto& panel : panels_) {
        panel->set_cursor(x, visible);
    }
    plot_->layer(u"overlay"_s)->replot();
}

void MetricPlot::hover(const QPoint& place, const QPoint& global) {
    const MetricPanel* panel = panel_at(place);
    if (!panel) {
        show_cursor(0, false);
        QToolTip::hideText();
        return;
    }
    const bool inside = panel->rect()->rect().contains(place);
    const double step = std::round(scale_.step_at(panel->x()->pixelToCoord(place.x())));
    show_cursor(scale_.of_step(step), inside);
    QStringList lines = panel->texts_at(place);
    const QStringList values = inside && !panel->draws_heat_map() ? panel->values_at(step) : QStringList();
    lines += values;
    if (lines.isEmpty()) {
        QToolTip::hideText();
        return;
    }
    if (inside) {
        QString at = tr("step %1").arg(count_text(std::int64_t(step)));
        if (scale_.unit() != XUnit::Step) {
            at += u", "_s % scale_.text(scale_.of_step(step));
        }
        lines.prepend(at);
    }
    QToolTip::showText(global + QPoint(14, 14), lines.join(u'\n'), plot_);
}

}  // namespace rankscope::gui
