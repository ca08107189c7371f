// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/live/formula_dialog.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_view.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_sections.h>
#include <gui/strings.h>
#include <remote/wire/sample_keys.h>

#include <tests/gui/curve_shots.h>
#include <tests/gui/synthetic_run.h>

#include <QDockWidget>
#include <QMenu>
#include <QTableView>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>

namespace rankscope::gui::testing {

namespace {

void show_run(MainWindow& window, int ranks, double until) {
    std::vector<std::string> nodes;
    for (int i = 0; i < std::max(ranks / 8, 1); ++i) {
        nodes.push_back("node" + std::to_string(i + 1));
    }
    window.show_page(MainWindow::Page::Live);
    window.live_page()->show_stored(synthetic_data(
        {.ranks = ranks, .nodes = nodes, .steps_per_epoch = 150, .until = until, .fate = Fate::Running}));
}

/// Samples of all of its steps, one a second.
LiveData with_samples(LiveData run) {
    const double first = run.step_times.at(run.first_step());
    const double last = run.step_times.at(run.last_step());
    for (double at = first; at < last; at += 1) {
        for (const char* node : {"node1", "node2"}) {
            SampleEvent sample;
            const double wave = 0.6 + 0.3 * std::sin(at / 3);
            sample.values = {{"cpu", wave * 0.5}, {"mem_used", 9e10 * wave}, {"mem_total", 5e11}};
            for (int gpu = 0; gpu < 4; ++gpu) {
                for (const auto& [what, value] : std::initializer_list<std::pair<const char*, double>>{
                         {"util", wave}, {"temp", 50 + 20 * wave}, {"power", 600 * wave}, {"throttle", 4}}) {
                    sample.values.emplace_back(sample_key::gpu(gpu, what), value);
                }
            }
            run.apply(Event{0, std::int64_t(at * 1e6), node, -1, sample});
        }
    }
    return run;
}

void set_look(MetricPlot* plot, const char* metric, bool heat, bool log) {
    PanelSettings settings;
    settings.heat = heat;
    settings.log = log;
    plot->set_settings(metric, settings);
}

}  // namespace

void curve_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    MetricPlot* plot = window.live_page()->plot();
    for (const int ranks : {8, 1024}) {
        show_run(window, ranks, 0.9);
        set_look(plot, "images_per_s", true, false);
        take(&window, ranks == 8 ? "curves-heat-8" : "curves-heat-1024");
        set_look(plot, "images_per_s", false, false);
    }
    show_run(window, 8, 0.7);
    set_look(plot, "loss", false, true);
    plot->set_x_unit(XUnit::Elapsed);
    plot->set_metrics(
        {"loss", "=loss@rank3 - loss@mean", "=images_per_s / world_size", "=no_such_metric_of_this_run + 1"});
    take(&window, "curves-formulas");
    plot->set_x_unit(XUnit::Clock);
    take(&window, "curves-clock");
    plot->set_x_unit(XUnit::Step);
    set_look(plot, "loss", false, false);
    show_run(window, 8, 0.9);
    emit plot->xLogChanged(true);
    take(&window, "curves-x-log-8");
    show_run(window, 1024, 0.9);
    set_look(plot, "images_per_s", true, false);
    emit plot->xLogChanged(true);
    take(&window, "curves-x-log-1024");
    set_look(plot, "images_per_s", false, false);
    emit plot->xLogChanged(false);
    show_run(window, 8, 0.7);

    plot->set_metrics({"loss", "acc1", "val_loss", "t_step_ms", "t_data_ms", "images_per_s"});
    take(&window, "curves-sections");
    plot->sections()->fold("t", true);
    take(&window, "curves-sections-folded");
    plot->sections()->fold("t", false);
    const MetricPanel& first = *plot->panels().front();
    for (const auto& panel : plot->panels()) {
        panel->set_cursor(first.x()->range().center(), true);
    }
    take(&window, "curves-cross-hair");

    FormulaDialog dialog(window.live_page()->shown()->data(), u"loss@rank3 - loss@"_s, &window);
    dialog.show();
    take(&dialog, "curves-formula-dialog");
    dialog.close();
    show_run(window, 8, 0.7);
    LogPane* log = window.live_page()->log();
    log->view()->show_row(log->rows()->count() / 2);
    emit log->view()->lineActivated(log->rows()->line(log->rows()->count() / 2));
    take(&window, "curves-moment");
    plot->show_x(100, 160);
    emit plot->moment()->rangeRequested(plot->moment()->in_view().value_or(TimeSpan()));
    take(&window, "curves-range");
    window.live_page()->show_stored(with_samples(
        synthetic_data({.id = "range", .ranks = 8, .until = 0.9, .fate = Fate::Running, .gpus = 4})));
    const LiveData& run = window.live_page()->shown()->data();
    const auto time = [&](double share) {
        return std::int64_t(run.step_times.at(run.first_step() + share * run.last_step()) * 1e6);
    };
    window.live_page()->range()->set({time(0.4), time(0.6)});
    take(&window, "curves-range-gpus");
    show_run(window, 8, 0.7);
    LivePanes* panes = window.live_page()->panes();
    panes->set_shown(LivePanes::Pane::Nccl, true);
    take(&window, "curves-panes-nccl");
    panes->set_movable(true);
    panes->put(LivePanes::Pane::Log, LivePanes::Place::TabOf, LivePanes::Pane::Ranks);
    panes->set_shown(LivePanes::Pane::Nccl, false);
    take(&window, "curves-panes-tabs");
    panes->put(LivePanes::Pane::Log, LivePanes::Place::RightOf, LivePanes::Pane::Curves);
    take(&window, "curves-panes-beside");
    panes->set_movable(false);
    panes->dock(LivePanes::Pane::Log)->setFloating(true);
    take(panes->dock(LivePanes::Pane::Log), "curves-panes-window");
    panes->reset();
    take(&window, "curves-panes-reset");
    window.live_page()->show_stored(
        synthetic_data({.ranks = 8, .until = 0.7, .fate = Fate::Killed, .notices = true, .gpus = 4}));
    panes->set_shown(LivePanes::Pane::Events, true);
    panes->set_shown(LivePanes::Pane::Start, true);
    window.findChild<QTableView*>(u"rankTable"_s)->selectRow(2);
    take(&window, "curves-panes-events");
    panes->reset();
    show_run(window, 40, 0.9);
    PanelMenu maker(plot);
    const std::unique_ptr<QMenu> menu(maker.make("images_per_s", plot->moment()->for_keys()));
    menu->popup(window.mapToGlobal(QPoint(100, 100)));
    take(menu.get(), "curves-menu");
    menu->close();
}

}  // namespace rankscope::gui::testing
