// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/formula_series.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_export.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_sections.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QFileDialog>
#include <QMenu>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::gui {

namespace {

constexpr std::array kSmoothings{0.6, 0.9, 0.99};
constexpr std::array kFormats{PlotFormat::Png, PlotFormat::Svg, PlotFormat::Pdf, PlotFormat::Csv};
constexpr qsizetype kFileName = 60;  ///< characters of a metric's name

/// A name that every file system takes.
QString file_name(const std::string& metric) {
    static const QRegularExpression kStrange(u"[^A-Za-z0-9_.-]+"_s);
    QString name = qs(metric).left(kFileName).replace(kStrange, u"-"_s);
    while (name.startsWith(u'.') || name.startsWith(u'-')) {
        name.remove(0, 1);
    }
    return name.isEmpty() ? u"plot"_s : name;
}

}  // namespace

PanelMenu::PanelMenu(MetricPlot* plot) : QObject(plot), plot_(plot) {}

const MetricPanel* PanelMenu::find(const std::string& name) const {
    const auto& panels = plot_->panels();
    const auto at =
        std::find_if(panels.begin(), panels.end(), [&](const auto& panel) { return panel->name() == name; });
    return at == panels.end() ? nullptr : at->get();
}

QMenu* PanelMenu::make(const std::string& name, const std::optional<RunMoment>& moment) {
    const MetricPanel* panel = find(name);
    if (!panel) {
        return nullptr;
    }
    auto* menu = new QMenu(plot_);
    menu->setObjectName(u"panelMenu"_s);
    add_looks(menu, *panel);
    add_smoothing(menu, *panel);
    add_outliers(menu, *panel);
    menu->addSeparator();
    add_moment(menu, moment);
    menu->addSeparator();
    QAction* copy = menu->addAction(tr("&Copy values"), this, [this, name] {
        if (const MetricPanel* shown = find(name)) {
            copy_to_clipboard(panel_table(*plot_, *shown, u'\t'));
        }
    });
    copy->setObjectName(u"panelCopy"_s);
    add_exports(menu, name);
    menu->addSeparator();
    add_places(menu, name);
    return menu;
}

void PanelMenu::add_looks(QMenu* menu, const MetricPanel& panel) {
    const std::string name = panel.name();
    const auto add = [&](const QString& text, const QString& object, bool PanelSettings::*flag) {
        QAction* action = menu->addAction(text);
        action->setObjectName(object);
        action->setCheckable(true);
        action->setChecked(panel.settings().*flag);
        connect(action, &QAction::triggered, this, [this, name, flag](bool on) {
            PanelSettings settings = plot_->settings(name);
            settings.*flag = on;
            settings.y.reset();
            plot_->set_settings(name, settings);
        });
        return action;
    };
    add(tr("&Heat map: ranks × steps"), u"panelHeat"_s, &PanelSettings::heat)
        ->setEnabled(panel.banded_or_many());
    add(tr("&Log scale"), u"panelLog"_s, &PanelSettings::log)->setEnabled(!panel.draws_heat_map());
    QAction* x_log = menu->addAction(tr("Logarithmic &x axis of all panels"));
    x_log->setObjectName(u"panelXLog"_s);
    x_log->setShortcut(Qt::SHIFT | Qt::Key_L);
    x_log->setCheckable(true);
    x_log->setChecked(plot_->x_log());
    x_log->setEnabled(XScale::can_be_log(plot_->x_unit()));
    connect(x_log, &QAction::triggered, plot_, &MetricPlot::xLogChanged);
    QAction* reset = menu->addAction(tr("&Reset zoom"), this, [this] { plot_->set_following(true); });
    reset->setObjectName(u"panelReset"_s);
    reset->setEnabled(!plot_->following() || panel.settings().y.has_value());
}

void PanelMenu::add_moment(QMenu* menu, const std::optional<RunMoment>& moment) {
    PlotMoment* marked = plot_->moment();
    const auto time = [](const RunMoment& of) { return moment_clock_text(of); };
    QAction* show = menu->addAction(moment ? tr("Show the lo&g at this moment (%1)").arg(time(*moment))
                                           : tr("Show the lo&g at this moment"));
    show->setObjectName(u"panelShowLog"_s);
    show->setShortcut(Qt::Key_Return);
    show->setEnabled(moment.has_value());
    connect(show, &QAction::triggered, this, [marked, moment] { marked->ask_log(*moment); });
    const auto span = marked->in_view();
    QAction* range = menu->addAction(tr("Show o&nly this range in the log"));
    range->setObjectName(u"panelLogRange"_s);
    range->setEnabled(span.has_value());
    connect(range, &QAction::triggered, this, [marked, span] { emit marked->rangeRequested(*span); });
    if (marked->marked()) {
        QAction* remove = menu->addAction(tr("Remove the mar&k"), marked, &PlotMoment::clear);
        remove->setObjectName(u"panelUnmark"_s);
        remove->setShortcut(Qt::Key_Escape);
    }
}

void PanelMenu::add_smoothing(QMenu* menu, const MetricPanel& panel) {
    const std::string name = panel.name();
    QMenu* smoothing = menu->addMenu(tr("&Smoothing"));
    const auto add = [&](const QString& text, std::optional<double> alpha) {
        QAction* action = smoothing->addAction(text);
        action->setCheckable(true);
        action->setChecked(panel.settings().smoothing == alpha);
        connect(action, &QAction::triggered, this, [this, name, alpha] {
            PanelSettings settings = plot_->settings(name);
            settings.smoothing = alpha;
            plot_->set_settings(name, settings);
        });
    };
    add(tr("As the other panels"), std::nullopt);
    add(tr("None"), 0.0);
    for (const double alpha : kSmoothings) {
        add(QString::number(alpha), alpha);
    }
}

void PanelMenu::add_outliers(QMenu* menu, const MetricPanel& panel) {
    if (panel.chips().chips().empty()) {
        return;
    }
    QMenu* outliers = menu->addMenu(tr("Select an &outlier"));
    for (const ChipRow::Chip& chip : panel.chips().chips()) {
        const int rank = chip.rank;
        outliers->addAction(chip.text, this, [this, rank] { emit plot_->rankClicked(rank); });
    }
}

void PanelMenu::add_exports(QMenu* menu, const std::string& name) {
    QMenu* one = menu->addMenu(tr("&Export this plot"));
    one->setObjectName(u"panelExport"_s);
    QMenu* all = menu->addMenu(tr("Export &all plots"));
    for (const PlotFormat format : kFormats) {
        const QString text = tr("%1…").arg(plot_suffix(format).toUpper());
        one->addAction(text, this, [this, name, format] { choose_file(name, int(format)); });
        if (format != PlotFormat::Csv) {
            all->addAction(text, this, [this, format] { choose_file({}, int(format)); });
        }
    }
}

void PanelMenu::add_places(QMenu* menu, const std::string& name) {
    const auto shown = plot_->shown_metrics();
    const auto at = std::size_t(std::find(shown.begin(), shown.end(), name) - shown.begin());
    const auto beside = [&](std::size_t index) -> std::optional<std::string> {
        const PanelSections& sections = plot_->sections()->chosen();
        const bool same =
            index < shown.size() && sections.section_of(shown[index]) == sections.section_of(name);
        return same ? std::optional(shown[index]) : std::nullopt;
    };
    const auto before = beside(at - 1);  // wraps to no index
    const auto behind = beside(at + 1);
    menu->addAction(tr("Move &before"), this,
                    [this, name, before] { plot_->move_panel(name, *before, false); })
        ->setEnabled(before.has_value());
    menu->addAction(tr("Move b&ehind"), this,
                    [this, name, behind] { plot_->move_panel(name, *behind, true); })
        ->setEnabled(behind.has_value());
    plot_->sections()->add_choices(menu, name);
    if (formula_of(name)) {
        menu->addAction(tr("Change the &formula…"), this, [this, name] { emit formulaRequested(name); });
    }
    QAction* remove =
        menu->addAction(tr("Re&move this panel"), this, [this, name] { emit removeRequested(name); });
    remove->setObjectName(u"panelRemove"_s);
}

void PanelMenu::choose_file(const std::string& name, int format) {
    const auto wanted = PlotFormat(format);
    const QString suffix = plot_suffix(wanted);
    const QString proposed = (name.empty() ? u"plots"_s : file_name(name)) % u'.' % suffix;
    auto* dialog = new QFileDialog(plot_->window(), tr("Export"), proposed,
                                   u"%1 (*.%2)"_s.arg(suffix.toUpper(), suffix));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, name, wanted](const QString& path) {
        emit exported(path, export_plot(*plot_, name, wanted, path));
    });
    dialog->open();
}

}  // namespace rankscope::gui
