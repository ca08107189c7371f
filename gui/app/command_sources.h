// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/command_model.h>

#include <vector>

namespace rankscope::gui {

class MainWindow;

/// Commands of the palette that depend on what there is now; each appends its own.
void add_node_commands(MainWindow& window, std::vector<Command>& commands);
void add_run_commands(MainWindow& window, std::vector<Command>& commands);
/// Job files that are installed with the program.
void add_recipe_commands(MainWindow& window, std::vector<Command>& commands);
/// The buttons that the page on view has, and that no action stands for.
void add_button_commands(MainWindow& window, std::vector<Command>& commands);

}  // namespace rankscope::gui
