// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/command_palette.h>
#include <gui/app/command_sources.h>
#include <gui/app/docs_window.h>
#include <gui/app/run_tabs.h>
#include <gui/app/run_window.h>
#include <gui/app/window_actions.h>
#include <gui/doctor/doctor_page.h>
#include <gui/fleet/fleet_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/runs/run_exporter.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/session/workspace.h>
#include <gui/settings/settings_file.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QAbstractButton>
#include <QApplication>
#include <QKeySequence>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

using Page = MainWindow::Page;

}  // namespace

WindowActions::WindowActions(MainWindow* window)
    : window_(window),
      registry_(new ActionRegistry(window)),
      list_job_(registry_, window->workspace()->pool()),
      recipe_job_(registry_, window->workspace()->pool()) {
    add_pages();
    add_files();
    add_edit();
    add_view();
    add_panes();
    add_nodes();
    add_run();
    add_tabs();
    add_stored_runs();
    add_exports();
    add_help();
    fill_menus();
    registry_->set_keys({});
}

void WindowActions::add_button(const QString& id, const QString& text, const QString& group, Page page,
                               const char* button, const QString& why, const QString& keys, QWidget* where) {
    const QString name = QString::fromLatin1(button);
    const auto find = [window = window_, name, page] {
        return window->page_widget(page)->findChild<QAbstractButton*>(name);
    };
    registry_->add({.id = id,
                    .text = text,
                    .group = group,
                    .run =
                        [window = window_, find, page] {
                            window->show_page(page);
                            find()->click();
                        },
                    .keys = keys,
                    .blocked = [find, why, window = window_, page]() -> QString {
                        const QAbstractButton* found = find();
                        const bool can =
                            found && found->isEnabled() && found->isVisibleTo(window->page_widget(page));
                        return can ? QString() : why;
                    },
                    .where = where});
}

void WindowActions::add_pages() {
    const std::array<std::pair<QString, QString>, 6> pages{{{u"page.fleet"_s, tr("&Fleet")},
                                                            {u"page.launch"_s, tr("&Launch")},
                                                            {u"page.doctor"_s, tr("&Doctor")},
                                                            {u"page.live"_s, tr("L&ive")},
                                                            {u"page.runs"_s, tr("&Runs")},
                                                            {u"page.logs"_s, tr("Lo&gs")}}};
    for (std::size_t i = 0; i < pages.size(); ++i) {
        registry_->add({.id = pages[i].first,
                        .text = pages[i].second,
                        .group = tr("Page"),
                        .run = [window = window_, i] { window->show_page(Page(i)); },
                        .keys = u"Ctrl+%1"_s.arg(i + 1)});
    }
}

void WindowActions::add_files() {
    const QString group = tr("File");
    const QString store = tr("The run store is not open.");
    registry_->add({.id = u"file.new_window"_s,
                    .text = tr("&New window"),
                    .group = group,
                    .run = [window = window_] { open_window(*window); },
                    .keys = u"Ctrl+Shift+N"_s});
    add_button(u"file.open_job"_s, tr("&Open job file…"), group, Page::Launch, "openJob", {}, u"Ctrl+O"_s);
    add_button(u"file.save_job"_s, tr("&Save as job file…"), group, Page::Launch, "saveJob",
               tr("Correct the values in Launch first."), u"Ctrl+Shift+S"_s);
    add_button(u"file.paste_line"_s, tr("From a &command line…"), group, Page::Launch, "pasteJob", {});
    add_button(u"file.recipes"_s, tr("Reci&pes…"), group, Page::Launch, "openRecipes", {});
    registry_->add({.id = u"file.save"_s,
                    .text = tr("Save the &job"),
                    .group = group,
                    .run =
                        [window = window_] {
                            window->show_page(Page::Launch);
                            command_target(nullptr, window->launch_page(), PageCommand::Save).run();
                        },
                    .keys = u"Ctrl+S"_s});
    registry_->add(
        {.id = u"file.open_bundle"_s,
         .text = tr("Open failure &bundle…"),
         .group = group,
         .run = [window = window_] { window->choose_bundle(); },
         .blocked = [window = window_, store] { return window->workspace()->store() ? QString() : store; }});
    registry_->add(
        {.id = u"file.import_folder"_s,
         .text = tr("&Import runs from a folder…"),
         .group = group,
         .run = [window = window_] { window->choose_folder(); },
         .blocked = [window = window_, store] { return window->workspace()->store() ? QString() : store; }});
    registry_->add({.id = u"file.save_bundle"_s,
                    .text = tr("Sa&ve failure bundle…"),
                    .group = group,
                    .run = [window = window_] { window->save_shown_bundle(); },
                    .blocked =
                        [window = window_] {
                            return window->run_at_hand() ? QString()
                                                         : tr("Select a run in Runs, or show one in Live.");
                        }});
    registry_->add({.id = u"run.scaling"_s,
                    .text = tr("Scaling &run of the job in Launch…"),
                    .group = group,
                    .run = [window = window_] { window->open_scaling_run(); },
                    .blocked =
                        [window = window_] {
                            return window->can_start_scaling() ? QString()
                                                               : tr("Correct the values in Launch first.");
                        }});
    add_button(u"file.open_logs"_s, tr("Open &logs…"), group, Page::Logs, "logsFiles", {});
    registry_->add({.id = u"file.quit"_s,
                    .text = tr("&Quit"),
                    .group = group,
                    .run = [window = window_] { window->close(); },
                    .keys = u"Ctrl+Q"_s});
}

void WindowActions::add_theme(const QString& id, const QString& text, LookTheme choice) {
    registry_->add({.id = id,
                    .text = text,
                    .group = tr("Theme"),
                    .run = [window = window_, choice] { window->set_theme(choice); },
                    .checked = [window = window_, choice] { return window->theme() == choice; }});
}

void WindowActions::change_font(int by) {
    constexpr int kSmallest = 7;
    constexpr int kLargest = 24;
    SettingsFile* file = window_->workspace()->settings();
    Settings settings = file->now();
    settings.look.font_points =
        by == 0 ? 0 : std::clamp(int(QApplication::font().pointSizeF() + 0.5) + by, kSmallest, kLargest);
    file->set(settings);
}

void WindowActions::add_view() {
    registry_->add({.id = u"view.palette"_s,
                    .text = tr("&Command palette…"),
                    .group = tr("View"),
                    .run = [window = window_] { window->show_palette(); },
                    .keys = u"Ctrl+K"_s});
    registry_->add({.id = u"view.settings"_s,
                    .text = tr("&Settings…"),
                    .group = tr("Edit"),
                    .run = [window = window_] { window->show_settings(SettingsPart::Appearance); },
                    .keys = u"Ctrl+,"_s});
    registry_->add({.id = u"view.shortcuts"_s,
                    .text = tr("&Keyboard shortcuts…"),
                    .group = tr("Edit"),
                    .run = [window = window_] { window->show_settings(SettingsPart::Shortcuts); }});
    add_theme(u"theme.system"_s, tr("As the &system"), LookTheme::System);
    add_theme(u"theme.light"_s, tr("&Light"), LookTheme::Light);
    add_theme(u"theme.dark"_s, tr("&Dark"), LookTheme::Dark);
    add_theme(u"theme.high_contrast"_s, tr("&High contrast"), LookTheme::HighContrast);
    const std::array<std::tuple<QString, QString, QString, int>, 3> sizes{
        {{u"view.larger"_s, tr("&Larger text"), u"Ctrl++"_s, 1},
         {u"view.smaller"_s, tr("S&maller text"), u"Ctrl+-"_s, -1},
         {u"view.normal"_s, tr("&Normal text"), u"Ctrl+0"_s, 0}}};
    for (const auto& [id, text, keys, by] : sizes) {
        registry_->add({.id = id,
                        .text = text,
                        .group = tr("View"),
                        .run = [this, by = by] { change_font(by); },
                        .keys = keys});
    }
}

void WindowActions::add_panes() {
    using Pane = LivePanes::Pane;
    const QString group = tr("Panes of Live");
    const auto blocked = [window = window_] {
        const LiveModel* shown = window->live_page()->shown();
        return shown && !shown->empty() ? QString() : tr("Show a run in Live first.");
    };
    const auto panes = [window = window_] { return window->live_page()->panes(); };
    const std::array<std::tuple<QString, QString, Pane>, LivePanes::kAll.size()> all{
        {{u"pane.curves"_s, tr("&Curves"), Pane::Curves},
         {u"pane.nccl"_s, tr("&NCCL"), Pane::Nccl},
         {u"pane.ranks"_s, tr("&Ranks"), Pane::Ranks},
         {u"pane.log"_s, tr("&Log"), Pane::Log},
         {u"pane.telemetry"_s, tr("&Telemetry"), Pane::Telemetry},
         {u"pane.start"_s, tr("&Start-up"), Pane::Start},
         {u"pane.events"_s, tr("E&vents"), Pane::Events}}};
    for (const auto& [id, text, pane] : all) {
        registry_->add({.id = id,
                        .text = text,
                        .group = group,
                        .run =
                            [window = window_, panes, pane = pane] {
                                window->show_page(MainWindow::Page::Live);
                                panes()->set_shown(pane, !panes()->is_shown(pane));
                            },
                        .blocked = blocked,
                        .checked = [panes, pane = pane] { return panes()->is_shown(pane); }});
    }
    registry_->add({.id = u"pane.move"_s,
                    .text = tr("&Move panes"),
                    .group = group,
                    .run =
                        [window = window_, panes] {
                            window->show_page(MainWindow::Page::Live);
                            panes()->set_movable(!panes()->movable());
                        },
                    .blocked = blocked,
                    .checked = [panes] { return panes()->movable(); }});
    registry_->add({.id = u"pane.reset"_s, .text = tr("R&eset layout"), .group = group, .run = [panes] {
                        panes()->reset();
                    }});
}

void WindowActions::add_nodes() {
    const QString group = tr("Nodes");
    const QString broken = tr("Correct the inventory's errors first; Fleet shows them.");
    const QString other = tr("Select a node in Fleet that is not this computer.");
    add_button(u"nodes.add"_s, tr("&Add node…"), group, Page::Fleet, "addNode", broken);
    add_button(u"nodes.import"_s, tr("&Import…"), group, Page::Fleet, "importNodes", broken);
    add_button(u"nodes.edit"_s, tr("&Edit…"), group, Page::Fleet, "editNode", other);
    add_button(u"nodes.remove"_s, tr("&Remove…"), group, Page::Fleet, "removeNode", other);
    add_button(u"nodes.key"_s, tr("SSH &key…"), group, Page::Fleet, "sshKey", tr("Add a node first."));
    registry_->add({.id = u"nodes.runs"_s,
                    .text = tr("R&uns on the selected nodes…"),
                    .group = group,
                    .run = [window = window_] {
                        window->show_page(Page::Fleet);
                        window->fleet_page()->open_runs();
                    }});
    add_button(u"nodes.leftovers"_s, tr("&Leftovers…"), group, Page::Fleet, "leftovers",
               tr("Select a node in Fleet."));
    add_button(u"nodes.shell"_s, tr("&Open shell"), group, Page::Fleet, "openShell",
               tr("Select one node in Fleet."));
    add_button(u"nodes.probe"_s, tr("&Probe"), group, Page::Fleet, "probeNode",
               tr("Select a node in Fleet that is not being probed."), u"F5"_s);
    add_button(u"nodes.probe_all"_s, tr("Probe a&ll"), group, Page::Fleet, "probeAll", {}, u"Shift+F5"_s);
    add_button(u"nodes.cancel"_s, tr("&Cancel probes"), group, Page::Fleet, "cancelProbes",
               tr("No probe is running."));
}

void WindowActions::add_run() {
    const QString group = tr("Run");
    const QString none = tr("No run is in progress in this window.");
    registry_->add({.id = u"run.start"_s,
                    .text = tr("&Start"),
                    .group = group,
                    .run =
                        [window = window_] {
                            window->show_page(Page::Launch);
                            window->launch_page()->start_or_show_why();
                        },
                    .keys = u"Ctrl+Return"_s,
                    .blocked = [window = window_]() -> QString {
                        const bool ready = window->launch_page()->state().is_ready();
                        // Launch itself says it once.
                        return ready || window->page() == Page::Launch
                                   ? QString()
                                   : tr("The job cannot start yet; Launch says why.");
                    },
                    .where = window_->launch_page()});
    add_button(u"run.preflight"_s, tr("Run pre&flight"), group, Page::Doctor, "doctorFull",
               tr("The job has errors, or a preflight is running; Doctor says which."), u"Ctrl+Return"_s,
               window_->doctor_page());
    add_button(u"run.pause"_s, tr("&Pause or continue"), group, Page::Live, "pauseButton",
               tr("No run that can be paused is in progress in this window."));
    add_stop(u"run.stop"_s, tr("S&top"), false, none);
    add_stop(u"run.force_stop"_s, tr("Fo&rce stop"), true,
             tr("Force stop is for a run that does not end after a stop."));
    add_button(u"run.again"_s, tr("Run &again…"), group, Page::Live, "againButton",
               tr("Show a run in Live that is over."));
    registry_->add({.id = u"run.attach"_s,
                    .text = tr("A&ttach to the run in progress"),
                    .group = group,
                    .run = [window = window_] { window->attach_found(); },
                    .blocked =
                        [window = window_] {
                            return window->can_attach() ? QString()
                                                        : tr("The run store has no run in progress.");
                        }});
}

// The same button: first it stops, then it forces.
void WindowActions::add_stop(const QString& id, const QString& text, bool force, const QString& why) {
    const auto find = [window = window_] {
        return window->live_page()->findChild<QAbstractButton*>(u"stopButton"_s);
    };
    registry_->add({.id = id,
                    .text = text,
                    .group = tr("Run"),
                    .run =
                        [window = window_, find] {
                            window->show_page(Page::Live);
                            find()->click();
                        },
                    .blocked = [window = window_, find, force, why]() -> QString {
                        const QAbstractButton* button = find();
                        const bool there =
                            button && button->isEnabled() && button->isVisibleTo(window->live_page());
                        const bool stopping = window->workspace()->session()->stopping();
                        if (there && !force && stopping) {
                            return tr("The run is stopping. Force stop ends it at once.");
                        }
                        return there && stopping == force ? QString() : why;
                    }});
}

void WindowActions::add_tabs() {
    const QString group = tr("Run");
    const auto few = [window = window_] {
        return window->tabs()->count() > 1 ? QString() : tr("Fewer than two runs are open in this window.");
    };
    // From another page, back to the run that Live shows.
    const auto step = [window = window_](int by) {
        if (window->page() == Page::Live) {
            window->tabs()->step(by);
        } else {
            window->show_page(Page::Live);
        }
    };
    registry_->add({.id = u"tab.next"_s,
                    .text = tr("&Next open run"),
                    .group = group,
                    .run = [step] { step(1); },
                    .keys = u"Ctrl+Tab"_s,
                    .blocked = few});
    registry_->add({.id = u"tab.previous"_s,
                    .text = tr("Previo&us open run"),
                    .group = group,
                    .run = [step] { step(-1); },
                    .keys = u"Ctrl+Shift+Tab"_s,
                    .blocked = few});
    registry_->add({.id = u"tab.window"_s,
                    .text = tr("Mo&ve the shown run to a window of its own"),
                    .group = group,
                    .run = [window = window_] { window->tabs()->move_shown(); },
                    .blocked = [window = window_] { return window->tabs()->why_not_moved(); }});
    registry_->add({.id = u"tab.close"_s,
                    .text = tr("C&lose the shown run"),
                    .group = group,
                    .run = [window = window_] { window->tabs()->close_shown(); },
                    .keys = u"Ctrl+W"_s,
                    .blocked =
                        [window = window_] {
                            return window->page() == Page::Live && window->tabs()->shown_run_id() != QString()
                                       ? QString()
                                       : tr("Show a run in Live first.");
                        }});
}

void WindowActions::add_stored_runs() {
    const QString group = tr("Runs");
    const QString none = tr("Select a run in Runs.");
    add_button(u"runs.open"_s, tr("&Open the selected run"), group, Page::Runs, "openRun", none);
    registry_->add(
        {.id = u"runs.window"_s,
         .text = tr("Open the selected run in a new &window"),
         .group = group,
         .run =
             [window = window_] {
                 emit window->runs_page()->windowRequested(*window->runs_page()->selected());
             },
         .blocked = [window = window_, none] { return window->runs_page()->selected() ? QString() : none; }});
    add_button(u"runs.again"_s, tr("Run the selected job a&gain…"), group, Page::Runs, "againRun", none);
    add_button(u"runs.columns"_s, tr("C&olumns of Runs…"), group, Page::Runs, "runsColumns",
               tr("There are no runs yet."));
    QWidget* table = window_->runs_page()->runs_table();
    add_button(u"runs.compare"_s, tr("Co&mpare the selected runs"), group, Page::Runs, "compareRuns",
               tr("Select two runs or more in Runs."), u"Ctrl+Shift+C"_s, table);
    add_button(u"runs.labels"_s, tr("&Labels of the selected runs…"), group, Page::Runs, "labelRun",
               tr("Select runs in Runs."));
    add_button(u"runs.delete"_s, tr("&Delete the selected run…"), group, Page::Runs, "deleteRun",
               tr("Select a run in Runs that is over."), u"Del"_s, window_->runs_page());
    registry_->add({.id = u"runs.trash"_s,
                    .text = tr("Deleted ru&ns…"),
                    .group = group,
                    .run = [window = window_] { window->runs_page()->open_trash(); },
                    .blocked =
                        [window = window_] {
                            return window->workspace()->store() ? QString()
                                                                : tr("The run store is not open.");
                        }});
}

void WindowActions::add_exports() {
    for (const RunExporter::Choice& choice : RunExporter::choices()) {
        registry_->add({.id = u"export."_s + QLatin1String(to_string(choice.format)),
                        .text = choice.text,
                        .group = tr("Export the shown run"),
                        .run = [window = window_, format = choice.format] { window->export_shown(format); },
                        .blocked =
                            [window = window_] {
                                return window->run_at_hand()
                                           ? QString()
                                           : tr("Select a run in Runs, or show one in Live.");
                            }});
    }
}

void WindowActions::add_help() {
    const std::filesystem::path docs = docs_folder();
    registry_->add({.id = u"help.docs"_s,
                    .text = tr("&Documentation"),
                    .group = tr("Help"),
                    .run = [window = window_, docs] { show_docs(docs, window); },
                    .keys = u"F1"_s,
                    .blocked = [docs]() -> QString {
                        return docs.empty() ? tr("The documentation is not installed with this program.")
                                            : QString();
                    }});
    registry_->add({.id = u"help.first_steps"_s,
                    .text = tr("&First steps"),
                    .group = tr("Help"),
                    .run = [window = window_] {
                        window->show_page(Page::Fleet);
                        window->fleet_page()->show_first_steps();
                    }});
    registry_->add(
        {.id = u"help.about"_s,
         .text = tr("&About Rankscope"),
         .group = tr("Help"),
         .run = [window = window_] {
             QMessageBox::about(
                 window, tr("About Rankscope"),
                 tr("<h3>Rankscope %1</h3><p>Launch, watch and diagnose distributed training.</p>"
                    "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                     .arg(QApplication::applicationVersion()));
         }});
}

std::vector<Command> WindowActions::commands() const {
    std::vector<Command> all;
    for (const ActionRegistry::Entry& entry : registry_->entries()) {
        if (entry.spec.id != u"view.palette"_s) {
            all.push_back({.id = entry.spec.id,
                           .text = entry.name(),
                           .group = entry.spec.group,
                           .keys = entry.action->shortcut().toString(QKeySequence::NativeText),
                           .blocked = entry.blocked(),
                           .run = entry.spec.run});
        }
    }
    add_node_commands(*window_, all);
    add_run_commands(*window_, all);
    add_quick_start_command(*window_, all);
    add_button_commands(*window_, all);
    return all;
}

void WindowActions::add_recipes(CommandPalette* palette) {
    list_job_.start([book = window_->launch_page()->recipe_book()](const JobHandle&) { return book.list(); },
                    [this, palette = QPointer(palette)](const std::vector<JobRecipe>& recipes) {
                        if (palette) {
                            palette->add_commands(recipe_commands(
                                recipes, [this](const JobRecipe& recipe) { open_recipe(recipe); }));
                        }
                    });
}

void WindowActions::open_recipe(const JobRecipe& recipe) {
    recipe_job_.start([book = window_->launch_page()->recipe_book(),
                       recipe](const JobHandle&) { return book.content(recipe); },
                      [this, name = qs(recipe.name)](const Result<std::string>& yaml) {
                          if (!yaml) {
                              emit registry_->refused(name, failure_text(yaml.failure()));
                              return;
                          }
                          window_->show_page(Page::Launch);
                          window_->launch_page()->open_recipe(name, *yaml);
                      });
}

}  // namespace rankscope::gui
