// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The order of the menus.

#include <gui/app/main_window.h>
#include <gui/app/window_actions.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/runs/run_exporter.h>
#include <gui/strings.h>

#include <QMenu>
#include <QMenuBar>
#include <vector>

namespace rankscope::gui {

void WindowActions::fill_export_menu(QMenu* menu) {
    menu->setObjectName(u"exportShownMenu"_s);
    std::vector<QString> formats;
    for (const RunExporter::Choice& choice : RunExporter::choices()) {
        formats.push_back(u"export."_s + QLatin1String(to_string(choice.format)));
    }
    registry_->fill(menu, formats);
}

void WindowActions::fill_menus() {
    QMenuBar* bar = window_->menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    registry_->fill(file, {u"file.new_window"_s,
                           {},
                           u"file.open_job"_s,
                           u"file.recipes"_s,
                           u"file.paste_line"_s,
                           u"file.open_bundle"_s,
                           u"file.import_folder"_s,
                           u"file.open_logs"_s,
                           {},
                           u"file.save"_s,
                           u"file.save_job"_s,
                           u"file.save_bundle"_s,
                           u"run.scaling"_s,
                           {},
                           u"file.quit"_s});
    auto* exports = new QMenu(tr("E&xport the shown run"), file);
    fill_export_menu(exports);
    file->insertMenu(registry_->find(u"run.scaling"_s)->action, exports);
    registry_->fill(bar->addMenu(tr("&Edit")), {u"edit.undo"_s,
                                                u"edit.redo"_s,
                                                {},
                                                u"edit.copy"_s,
                                                {},
                                                u"edit.find"_s,
                                                u"edit.find_next"_s,
                                                u"edit.find_previous"_s,
                                                {},
                                                u"view.shortcuts"_s,
                                                u"view.settings"_s});
    QMenu* view = bar->addMenu(tr("&View"));
    registry_->fill(view, {u"view.palette"_s,
                           {},
                           u"page.fleet"_s,
                           u"page.launch"_s,
                           u"page.doctor"_s,
                           u"page.live"_s,
                           u"page.runs"_s,
                           u"page.logs"_s,
                           {},
                           u"runs.columns"_s,
                           {},
                           u"view.larger"_s,
                           u"view.smaller"_s,
                           u"view.normal"_s,
                           {}});
    registry_->fill(view->addMenu(tr("&Panes")), {u"pane.curves"_s,
                                                  u"pane.nccl"_s,
                                                  u"pane.ranks"_s,
                                                  u"pane.log"_s,
                                                  u"pane.telemetry"_s,
                                                  u"pane.start"_s,
                                                  u"pane.events"_s,
                                                  {},
                                                  u"pane.move"_s,
                                                  u"pane.reset"_s});
    registry_->fill(view->addMenu(tr("&Theme")),
                    {u"theme.system"_s, u"theme.light"_s, u"theme.dark"_s, u"theme.high_contrast"_s});
    registry_->fill(bar->addMenu(tr("&Run")), {u"run.start"_s,
                                               u"run.preflight"_s,
                                               {},
                                               u"run.pause"_s,
                                               u"run.stop"_s,
                                               u"run.force_stop"_s,
                                               u"run.again"_s,
                                               u"run.attach"_s,
                                               {},
                                               u"tab.next"_s,
                                               u"tab.previous"_s,
                                               u"tab.window"_s,
                                               u"tab.close"_s,
                                               {},
                                               u"runs.open"_s,
                                               u"runs.window"_s,
                                               u"runs.compare"_s,
                                               u"runs.again"_s,
                                               u"runs.labels"_s,
                                               u"runs.delete"_s,
                                               u"runs.trash"_s});
    registry_->fill(bar->addMenu(tr("&Nodes")), {u"nodes.add"_s,
                                                 u"nodes.import"_s,
                                                 {},
                                                 u"nodes.probe"_s,
                                                 u"nodes.probe_all"_s,
                                                 u"nodes.cancel"_s,
                                                 {},
                                                 u"nodes.edit"_s,
                                                 u"nodes.shell"_s,
                                                 u"nodes.key"_s,
                                                 u"nodes.runs"_s,
                                                 u"nodes.leftovers"_s,
                                                 u"nodes.remove"_s});
    registry_->fill(bar->addMenu(tr("&Help")),
                    {u"help.docs"_s, u"help.first_steps"_s, u"view.shortcuts"_s, {}, u"help.about"_s});
}

}  // namespace rankscope::gui
