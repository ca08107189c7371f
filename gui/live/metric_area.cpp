// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_series.h>
#include <gui/data/log_metrics.h>
#include <gui/launch/learn_dialog.h>
#include <gui/live/formula_dialog.h>
#include <gui/live/legend_strip.h>
#include <gui/live/metric_area.h>
#include <gui/live/metric_chooser.h>
#include <gui/plot/lines_offer.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_sections.h>
#include <gui/plot/x_log_button.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

MetricArea::MetricArea(QWidget* parent) : QFrame(parent) {
    setProperty("role", u"card"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 4, 1, 1);
    layout->setSpacing(0);
    make_bar();
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 8, 0);
    bar->setSpacing(8);
    auto* label = make_label(tr("S&moothing"), this, "muted");
    label->setBuddy(smoothing_);
    bar->addWidget(legend_, 1);
    bar->addWidget(chooser_);
    bar->addWidget(unit_);
    bar->addWidget(log_);
    bar->addWidget(label);
    bar->addWidget(smoothing_);
    bar->addWidget(follow_);
    layout->addLayout(bar);
    plot_ = new MetricPlot(this);
    menu_ = new PanelMenu(plot_);
    layout->addWidget(plot_, 1);
    steps_ = make_label({}, this, "muted");
    steps_->setObjectName(u"plotSteps"_s);
    steps_->setContentsMargins(8, 0, 8, 2);
    steps_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    steps_->setWordWrap(true);
    steps_->hide();
    layout->addWidget(steps_);
    notice_ = make_label({}, this, "muted");
    notice_->setObjectName(u"plotNotice"_s);
    notice_->setContentsMargins(8, 0, 8, 2);
    notice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    notice_->setWordWrap(true);
    notice_->hide();
    layout->addWidget(notice_);
    connect_parts();
}

void MetricArea::make_bar() {
    legend_ = new LegendStrip(this);
    chooser_ = new MetricChooser(this);
    unit_ = new ComboBox(this);
    unit_->setObjectName(u"plotUnit"_s);
    unit_->setAccessibleName(tr("X axis"));
    unit_->setToolTip(tr("What the x axis counts"));
    unit_->addItem(x_unit_text(XUnit::Step), x_unit_key(XUnit::Step));
    log_ = make_x_log_button("plotXLog", this);
    smoothing_ = new QSlider(Qt::Horizontal, this);
    smoothing_->setObjectName(u"smoothing"_s);
    smoothing_->setRange(0, MetricChoice::kMostSmoothing);
    smoothing_->setFixedWidth(90);
    smoothing_->setAccessibleName(tr("Smoothing of the curves"));
    smoothing_->setToolTip(tr("Exponential moving average over the steps; far left: none"));
    follow_ = new QToolButton(this);
    follow_->setObjectName(u"plotFollow"_s);
    follow_->setText(tr("Follow"));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    follow_->setToolTip(tr("Show all steps and follow new ones (double click in a plot, or key 0)"));
}

void MetricArea::connect_parts() {
    connect(follow_, &QToolButton::clicked, plot_, &MetricPlot::set_following);
    connect(plot_, &MetricPlot::followingChanged, follow_, &QToolButton::setChecked);
    connect(plot_, &MetricPlot::rankClicked, this, &MetricArea::rankClicked);
    connect(legend_, &LegendStrip::rankClicked, this, &MetricArea::rankClicked);
    connect(plot_, &MetricPlot::settingsChanged, this,
            [this] { choice_.keep_settings(plot_->all_settings()); });
    connect(plot_, &MetricPlot::arranged, this, &MetricArea::choose);
    connect(chooser_, &MetricChooser::chosen, this, &MetricArea::choose);
    connect(chooser_, &MetricChooser::defaultRequested, this, [this] { choose({}); });
    connect(chooser_, &MetricChooser::formulaRequested, this, [this] { ask_formula({}); });
    connect(plot_, &MetricPlot::menuRequested, this,
            [this](const std::string& name, const QPoint& place, const std::optional<RunMoment>& moment) {
                if (QMenu* menu = menu_->make(name, moment)) {
                    menu->setAttribute(Qt::WA_DeleteOnClose);
                    menu->popup(place);
                }
            });
    connect(plot_->offer(), &LinesOffer::drawRequested, this,
            [this] { read_lines(plot_->offer()->lines().pattern); });
    connect(plot_->offer(), &LinesOffer::changeRequested, this, &MetricArea::ask_lines);
    connect(plot_->moment(), &PlotMoment::logRequested, this, &MetricArea::logRequested);
    connect(plot_->moment(), &PlotMoment::rangeRequested, this, &MetricArea::logRangeRequested);
    connect(menu_, &PanelMenu::removeRequested, this, &MetricArea::remove_panel);
    connect(menu_, &PanelMenu::formulaRequested, this, &MetricArea::ask_formula);
    connect(menu_, &PanelMenu::exported, this, [this](const QString& path, const QString& problem) {
        notice_->setText(problem.isEmpty() ? tr("Written: %1").arg(path) : problem);
        notice_->show();
    });
    connect(smoothing_, &QSlider::valueChanged, this, [this](int value) {
        plot_->set_smoothing(value / 100.0);
        if (live_ && value != choice_.smoothing()) {
            choice_.keep_smoothing(value);
        }
    });
    connect(plot_, &MetricPlot::sectionsChanged, this,
            [this] { choice_.keep_sections(plot_->sections()->chosen()); });
    connect(unit_, &QComboBox::activated, this, [this] {
        const XUnit unit = x_unit_of(unit_->currentData().toString());
        choice_.keep_unit(unit);
        plot_->set_x_unit(unit);
        set_x_log_possible(log_, XScale::can_be_log(unit));
    });
    connect(log_, &QToolButton::clicked, this, &MetricArea::set_x_log);
    connect(plot_, &MetricPlot::xLogChanged, this, &MetricArea::set_x_log);
}

void MetricArea::set_x_log(bool log) {
    if (log_->isEnabled()) {
        choice_.keep_log(log);
        log_->setChecked(log);
        plot_->set_x_log(log);
    }
}

void MetricArea::read_lines(const std::string& pattern) {
    choice_.keep_lines(pattern);
    LogMetrics::start(live_, pattern);
    plot_->refresh();
}

// What was chosen for another run of this job holds for this one, where its lines are not read either.
void MetricArea::read_lines_as_before() {
    if (!choice_.lines().empty() && live_->state().metrics.size() == 0 && unread_lines(live_->data())) {
        LogMetrics::start(live_, choice_.lines());
    }
}

void MetricArea::ask_lines() {
    const metric_lines::UnreadNotice& lines = plot_->offer()->lines();
    auto* dialog = new LearnDialog(this);
    dialog->set_example(lines.examples.back(), lines.fields);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { read_lines(ss(dialog->pattern())); });
    dialog->open();
}

void MetricArea::choose(std::optional<std::vector<std::string>> names) {
    choice_.choose(std::move(names));
    refresh_choice();
}

void MetricArea::remove_panel(const std::string& name) {
    std::vector<std::string> names = choice_.shown(live_->data());
    std::erase(names, name);
    choose(std::move(names));
}

void MetricArea::ask_formula(const std::string& changed) {
    if (!live_) {
        return;
    }
    const QString text = changed.empty() ? QString() : qs(formula_of(changed).value_or(std::string()));
    auto* dialog = new FormulaDialog(live_->data(), text, this);
    dialog->set_look(plot_->settings(changed));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, changed] {
        const std::string name = kFormulaSign + ss(dialog->formula());
        std::vector<std::string> names = choice_.shown(live_->data());
        const auto at = std::find(names.begin(), names.end(), changed);
        plot_->set_settings(name, dialog->look(plot_->settings(changed)));
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            return;
        }
        if (at != names.end()) {
            *at = name;
        } else {
            names.push_back(name);
        }
        choose(std::move(names));
    });
    dialog->open();
}

void MetricArea::set_live(LiveModel* live) {
    live_ = live;
    notice_->hide();
    choice_.set_job(live->state().name);
    plot_->set_all_settings(choice_.settings());
    plot_->set_sections(choice_.sections());
    smoothing_->setValue(choice_.smoothing());
    plot_->set_x_unit(choice_.unit());
    plot_->set_x_log(choice_.log());
    log_->setChecked(choice_.log());
    set_x_log_possible(log_, XScale::can_be_log(choice_.unit()));
    read_lines_as_before();
    plot_->set_live(live);
    refresh_choice();
    update_steps_note();
}

void MetricArea::refresh() {
    if (plot_->shown_metrics().empty()) {
        read_lines_as_before();
        refresh_choice();
    }
    plot_->refresh();
    update_legend();
    update_steps_note();
}

void MetricArea::update_steps_note() {
    const LiveData& run = live_->data();
    QStringList notes;
    if (run.step_places.epochs_again() > 0) {
        notes +=
            tr("Steps began again at %1 in epoch %2: the values of each epoch stand behind those of the one "
               "before.")
                .arg(run.step_places.first_step_again())
                .arg(run.step_places.first_epoch_again());
    }
    if (run.replacements > 0) {
        notes +=
            tr("Steps began again at %1 without a new epoch: later values replace earlier ones here. The run "
               "store has all of them.")
                .arg(run.replaced_from);
    }
    steps_->setText(notes.join(u'\n'));
    steps_->setVisible(!notes.isEmpty());
}

void MetricArea::refresh_choice() {
    const std::vector<std::string> shown = choice_.shown(live_->data());
    plot_->set_metrics(shown);
    chooser_->set_metrics(live_->data(), shown, choice_.is_default());
    update_units();
    update_legend();
    emit metricsShown(shown);
}

void MetricArea::update_units() {
    const std::vector<XUnit> units = XScale::units(live_->data());
    const XUnit wanted = choice_.unit();
    // The chosen one stays in the list while the run cannot be drawn over it yet.
    std::vector<XUnit> offered = units;
    if (std::find(units.begin(), units.end(), wanted) == units.end()) {
        offered.push_back(wanted);
    }
    if (int(offered.size()) != unit_->count() || unit_->findData(x_unit_key(wanted)) < 0) {
        unit_->clear();
        for (const XUnit unit : offered) {
            unit_->addItem(x_unit_text(unit), x_unit_key(unit));
        }
    }
    unit_->setCurrentIndex(unit_->findData(x_unit_key(wanted)));
}

void MetricArea::show_moment(std::int64_t t_us, int rank) {
    const auto moment = live_ ? moment_of_time(live_->data(), t_us, rank) : std::nullopt;
    if (moment) {
        plot_->moment()->show(*moment);
    }
}

PlotPlace MetricArea::place() const {
    return plot_->place();
}

void MetricArea::return_to(const PlotPlace& place) {
    plot_->return_to(place);
}

void MetricArea::set_range(const TimeSpan& range) {
    plot_->moment()->set_range(range);
}

void MetricArea::set_selected_ranks(const std::vector<int>& ranks) {
    selected_ = ranks;
    plot_->set_selected_ranks(ranks);
    update_legend();
}

void MetricArea::update_legend() {
    if (live_) {
        legend_->set_ranks(int(live_->data().series.size()), plot_->draws_band(), selected_);
    }
}

}  // namespace rankscope::gui
