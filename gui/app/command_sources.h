// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/command_model.h>
#include <remote/desk/jobs/config/recipes.h>

#include <functional>
#include <vector>

namespace rankscope::gui {

class MainWindow;

/// Commands of the palette that depend on what there is now; each appends its own.
void add_node_commands(MainWindow& window, std::vector<Command>& commands);
void add_run_commands(MainWindow& window, std::vector<Command>& commands);
void add_quick_start_command(MainWindow& window, std::vector<Command>& commands);
/// The job files that are installed with the program, and the user's own.
std::vector<Command> recipe_commands(const std::vector<JobRecipe>& recipes,
                                     const std::function<void(const JobRecipe&)>& open);
/// The buttons that the page on view has, and that no action stands for.
void add_button_commands(MainWindow& window, std::vector<Command>& commands);

}  // namespace rankscope::gui
