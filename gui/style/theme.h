// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <QColor>
#include <QPalette>
#include <QString>

class QApplication;

namespace rankscope::gui {

enum class ThemeChoice { System, Light, Dark };

/// Colours with a meaning that QPalette has no role for. Derived from the palette, so that every widget finds
/// them directly, and a change of theme reaches it as a PaletteChange.
struct ThemeColors {
    bool dark = false;
    QColor text;
    QColor muted;        ///< text that may be overlooked; still 4.5 : 1 on `surface`
    QColor line;         ///< hairlines, frames
    QColor field_frame;  ///< of what can be edited: 3 : 1 on `surface`
    QColor surface;      ///< where content lies
    QColor chrome;       ///< bars and panels around it
    QColor accent;
    QColor good;
    QColor warning;
    QColor bad;
    QColor bad_surface;  ///< behind a failure banner
    QColor info_surface;
    QColor good_surface;
    QColor selection;  ///< behind selected rows: light enough for signs and text in their own colours
    QColor grid;       ///< in plots
};
ThemeColors theme_colors(const QPalette& palette);

QPalette light_palette();
QPalette dark_palette();

/// Fusion, palette and style sheet for the whole program. `system_is_dark`: the desktop's theme at start.
void apply_theme(QApplication& app, ThemeChoice choice, bool system_is_dark);
bool is_dark(const QPalette& palette);

/// Each phase has a colour of its own, and a shape too (draw_phase_glyph).
QColor phase_color(RankPhase phase, const ThemeColors& colors);
QColor outcome_color(Outcome outcome, const ThemeColors& colors);

/// Okabe–Ito first (distinct for colour-blind users), then hues by the golden angle in three lightnesses.
QColor rank_color(int rank, bool dark);

}  // namespace rankscope::gui
