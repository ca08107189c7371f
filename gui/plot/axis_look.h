// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

namespace rankscope::gui {

/// Puts a panel into two rows of a grid: its title, left above its axes.
void place_panel(QCPLayoutGrid* grid, int row, int column, QCPTextElement* title, QCPAxisRect* rect);
/// The look of all panels: a bold title, axes in the colours of the theme with smaller numbers.
void set_panel_look(QCPTextElement* title, QCPAxisRect* rect, const ThemeColors& colors, const QFont& font);
/// Of the numbers at an axis.
QFont axis_font(QFont font);

}  // namespace rankscope::gui
