// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/action_registry.h>
#include <gui/actions/command_model.h>
#include <gui/app/main_window.h>

#include <QCoreApplication>
#include <QString>
#include <vector>

class QMenu;

namespace rankscope::gui {

/// What the main window can do, as actions, menus and commands of the palette.
class WindowActions {
    Q_DECLARE_TR_FUNCTIONS(WindowActions)

public:
    explicit WindowActions(MainWindow* window);

    ActionRegistry* registry() const { return registry_; }
    /// Everything that can be done now: actions, nodes, runs, recipes, buttons of the page.
    std::vector<Command> commands() const;

private:
    void add_pages();
    void add_files();
    void add_view();
    void add_panes();
    void add_nodes();
    void add_run();
    void add_stored_runs();
    void add_exports();
    void add_help();
    void fill_menus();
    void fill_export_menu(QMenu* menu);
    /// An action that presses a button of a page. `why`: what must hold first.
    void add_button(const QString& id, const QString& text, const QString& group, MainWindow::Page page,
                    const char* button, const QString& why, const QString& keys = {});
    void add_theme(const QString& id, const QString& text, LookTheme choice);
    void change_font(int by);

    MainWindow* window_;
    ActionRegistry* registry_;
};

}  // namespace rankscope::gui
