// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/action_registry.h>
#include <gui/actions/command_model.h>
#include <gui/actions/page_command.h>
#include <gui/app/main_window.h>
#include <gui/background_job.h>
#include <remote/desk/jobs/config/recipes.h>

#include <QCoreApplication>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

class QMenu;

namespace rankscope::gui {

class CommandPalette;

/// What the main window can do, as actions, menus and commands of the palette.
class WindowActions {
    Q_DECLARE_TR_FUNCTIONS(WindowActions)

public:
    explicit WindowActions(MainWindow* window);

    ActionRegistry* registry() const { return registry_; }
    /// Everything that can be done now: actions, nodes, runs, the quick start, buttons of the page.
    std::vector<Command> commands() const;
    /// Adds the recipes to the palette, once they are read.
    void add_recipes(CommandPalette* palette);

private:
    void add_pages();
    void add_files();
    void add_edit();
    /// An action that the page, or the part of it with the focus, does. `why`: what must hold first.
    void add_page_command(const QString& id, const QString& text, PageCommand command, const QString& keys,
                          const QString& also, const QString& why);
    void add_view();
    void add_panes();
    void add_nodes();
    void add_run();
    void add_tabs();
    void add_stored_runs();
    void add_exports();
    void add_help();
    void fill_menus();
    void fill_export_menu(QMenu* menu);
    /// An action that presses a button of a page. `why`: what must hold first.
    void add_button(const QString& id, const QString& text, const QString& group, MainWindow::Page page,
                    const char* button, const QString& why, const QString& keys = {},
                    QWidget* where = nullptr);
    void add_stop(const QString& id, const QString& text, bool force, const QString& why);
    void add_theme(const QString& id, const QString& text, LookTheme choice);
    void change_font(int by);
    void open_recipe(const JobRecipe& recipe);

    MainWindow* window_;
    ActionRegistry* registry_;
    std::shared_ptr<QPointer<QWidget>> focus_ =
        std::make_shared<QPointer<QWidget>>();  ///< the last place of it
    BackgroundJob list_job_;
    BackgroundJob recipe_job_;
};

}  // namespace rankscope::gui
