// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_metrics.h>
#include <gui/plain_text.h>
#include <gui/plot/lines_offer.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_hand.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_sections.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kSmallestSpan = 4;  ///< steps
constexpr int kPanelWidth = 270;     ///< at least, when panels share a row
constexpr int kPanelHeight = 104;    ///< at least; more panels than fit scroll
constexpr int kSinglePanelHeight = 118;
constexpr int kWorkers = 2;  ///< a picture need not wait for a count

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
    scroll_->setMinimumHeight(90);
    message_ = make_label({}, this, "muted");
    message_->setObjectName(u"metricMessage"_s);
    message_->setAlignment(Qt::AlignCenter);
    message_->setWordWrap(true);
    message_->setAttribute(Qt::WA_TransparentForMouseEvents);
    message_->hide();
    offer_ = new LinesOffer(this);
    offer_->hide();
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
    formula_pool_.setMaxThreadCount(1);
    hand_ = new PlotHand(this);
    sections_ = new PlotSections(this);
    connect(sections_, &PlotSections::changed, this, [this] {
        refresh();
        emit sectionsChanged();
    });
}

MetricPlot::~MetricPlot() {
    panels_.clear();  // before the plot that holds their parts
    formulas_.clear();
    formula_pool_.waitForDone();
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

std::vector<int> MetricPlot::columns_for(const std::vector<PanelSection>& sections) const {
    std::vector<int> columns;
    for (const PanelSection& section : sections) {
        columns.push_back(columns_for(section.names.size()));
    }
    return columns;
}

void MetricPlot::update_panels() {
    if (!live_) {
        return;
    }
    const std::vector<PanelSection> sections = sections_->chosen().of(reported_metrics());
    const std::vector<int> columns = columns_for(sections);
    if (sections != shown_ || columns != columns_) {
        make_panels(sections, columns);
    }
    update_message();
}

void MetricPlot::make_panels(const std::vector<PanelSection>& sections, const std::vector<int>& columns) {
    panels_.clear();
    shown_ = sections;
    columns_ = columns;
    const std::vector<QCPLayoutGrid*> grids = sections_->lay_out(sections, columns);
    QStringList titles;
    int rows = 0;
    for (std::size_t s = 0; s < sections.size(); ++s) {
        const std::vector<std::string>& names = sections[s].names;
        for (std::size_t i = 0; i < names.size() && grids[s]; ++i) {
            const MetricPanel::Place place{plot_,
                                           live_,
                                           &scale_,
                                           &pool_,
                                           &moment_->marked(),
                                           &moment_->range(),
                                           formula_for(names[i]),
                                           grids[s],
                                           int(i) / columns[s],
                                           int(i) % columns[s]};
            panels_.push_back(std::make_unique<MetricPanel>(place, names[i]));
            MetricPanel& panel = *panels_.back();
            panel.set_at_once(at_once_);
            panel.set_settings(settings(panel.name()));
            connect_panel(panel);
            titles += panel.title();
        }
        rows += grids[s] ? (int(names.size()) + columns[s] - 1) / columns[s] : 0;
    }
    forget_formulas();
    const int height = rows > 1 ? rows * kPanelHeight : rows * kSinglePanelHeight;
    plot_->setMinimumHeight(height + sections_->height());
    setAccessibleName(tr("Curves: %1").arg(titles.join(u", "_s)));
    set_x(x_range_.lower, x_range_.upper);
    style_panels();
}

void MetricPlot::connect_panel(MetricPanel& panel) {
    MetricPanel* of = &panel;  // the senders are its parts
    connect(&panel.view(), &RankView::counted, this, [this, of] { redraw(of); });
    connect(panel.heat_map(), &HeatMap::painted, this, [this, of] { redraw(of); });
    connect(panel.picture(), &CurvePicture::painted, plot_,
            [plot = plot_] { plot->replot(QCustomPlot::rpQueuedReplot); });
}

std::shared_ptr<FormulaSeries> MetricPlot::formula_for(const std::string& name) {
    const auto text = formula_of(name);
    if (!text || live_->state().metrics.find(name)) {
        return nullptr;  // what a rank reports, whatever its name
    }
    std::shared_ptr<FormulaSeries>& formula = formulas_[name];
    if (!formula) {
        formula = std::make_shared<FormulaSeries>(*text, live_, &formula_pool_);
    }
    const auto panel = [this, name]() -> MetricPanel* {
        const auto at = std::find_if(panels_.begin(), panels_.end(),
                                     [&](const auto& each) { return each->name() == name; });
        return at == panels_.end() ? nullptr : at->get();
    };
    formula->disconnect(this);
    connect(formula.get(), &FormulaSeries::computed, this, [this, panel] {
        if (MetricPanel* of = panel()) {
            redraw(of);
        }
    });
    connect(formula.get(), &FormulaSeries::progressed, this, [this, panel] {
        if (MetricPanel* of = panel()) {
            of->update_progress();
            plot_->layer(u"overlay"_s)->replot();
        }
    });
    return formula;
}

// Those of folded sections remain: what they have is not computed again.
void MetricPlot::forget_formulas() {
    std::erase_if(formulas_, [&](const auto& entry) {
        return std::find(wanted_.begin(), wanted_.end(), entry.first) == wanted_.end();
    });
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
    formulas_.clear();
    shown_.clear();
    columns_.clear();
    sections_->lay_out({}, {});
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
    set_x_axis(unit, x_log_);
}

void MetricPlot::set_x_log(bool log) {
    set_x_axis(x_unit_, log);
}

void MetricPlot::set_x_axis(XUnit unit, bool log) {
    if (unit == x_unit_ && log == x_log_) {
        return;
    }
    const double first = scale_.step_at(x_range_.lower);
    const double last = scale_.step_at(x_range_.upper);
    x_unit_ = unit;
    x_log_ = log;
    if (live_) {
        scale_.update(live_->data(), x_unit_, x_log_);
        const double begin = scale_.first_step(std::max(first, live_->data().first_step()));
        // The same steps remain in view.
        set_x(scale_.of_step(scale_.is_log() ? begin : first), scale_.of_step(std::max(last, begin + 1)));
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
    scale_.update(live_->data(), x_unit_, x_log_);
    update_x();
    for (const auto& panel : panels_) {
        panel->refresh();
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

// Its workers have something: the others are as they were.
void MetricPlot::redraw(MetricPanel* panel) {
    panel->refresh();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::set_sections(const PanelSections& sections) {
    sections_->set_chosen(sections);
    refresh();
}

void MetricPlot::update_message() {
    const LiveData& run = live_->data();
    const bool over = run.state.outcome != Outcome::Running;
    const bool empty = run.state.metrics.size() == 0 && !LogMetrics::reads(live_);
    const auto lines = empty ? unread_lines(run) : std::nullopt;
    if (lines) {
        offer_->set_lines(*lines);
    }
    offer_->setVisible(lines.has_value());
    QString text;
    if (!shown_.empty()) {
        // Panels, or headers of folded sections.
    } else if (live_->state().metrics.size() > 0) {
        text = wanted_.empty()
                   ? tr("No metrics are chosen. Choose some under Metrics.")
                   : tr("This run does not report the chosen metrics. Choose others under Metrics.");
    } else if (!lines) {
        text = over ? tr("This run reported no measurements.")
               : has_no_steps(run.state)
                   ? tr("It runs; no steps are read. The curves begin with the first one.")
                   : tr("No measurements yet. The curves begin with the first step.");
    }
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
    place_message();
}

void MetricPlot::place_message() {
    message_->setGeometry(rect().adjusted(12, 0, -12, 0));
    offer_->setGeometry(rect());
}

QString MetricPlot::message() const {
    return message_->text();
}

void MetricPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place_message();
    if (live_ && columns_for(shown_) != columns_) {
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
    const double first = scale_.first_step(std::min(live_->data().first_step(), last));
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
    const double first_step = scale_.first_step(live_->data().first_step());
    const double last_step = std::max(live_->data().last_step(), first_step + 1);
    const double first = scale_.of_step(first_step);
    const double last = std::max(scale_.of_step(last_step), first + 1e-9);
    const double of_one = (last - first) / (last_step - first_step);
    const double room = (last - first) * 0.125 + 2 * of_one;
    const double smallest =
        scale_.is_log() ? length_of(kSmallestSpan, (lower + upper) / 2) : kSmallestSpan * of_one;
    const double span = std::clamp(upper - lower, smallest, std::max(last - first + 2 * room, smallest));
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

double MetricPlot::length_of(double steps, double position) const {
    return scale_.of_step(scale_.step_at(position) + steps) - position;
}

PlotPlace MetricPlot::place() const {
    PlotPlace place{
        follow_, scale_.step_at(x_range_.lower), scale_.step_at(x_range_.upper), {}, moment_->marked()};
    for (const auto& [name, settings] : settings_) {
        if (settings.y) {
            place.y[name] = *settings.y;
        }
    }
    return place;
}

void MetricPlot::return_to(const PlotPlace& place) {
    if (!live_) {
        return;
    }
    if (place.marked) {
        moment_->show(*place.marked);
    }
    for (const auto& [name, y] : place.y) {
        PanelSettings settings = this->settings(name);
        settings.y = y;
        set_settings(name, settings);
    }
    if (!place.following) {
        show_x(scale_.of_step(place.first_step), scale_.of_step(place.last_step));
    }
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

void MetricPlot::move_panel(const std::string& name, const std::string& other, bool behind) {
    std::vector<std::string> names = wanted_;
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end() || name == other) {
        return;
    }
    names.erase(at);
    // Beside the panel that is there now: those without values stand between.
    const auto beside = std::find(names.begin(), names.end(), other);
    if (beside == names.end()) {
        return;
    }
    names.insert(behind ? beside + 1 : beside, name);
    sections_->move(name, sections_->chosen().section_of(other));
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

void MetricPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        style_panels();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
}

}  // namespace rankscope::gui
