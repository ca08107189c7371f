// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/theme.h>

#include <QString>

class QApplication;

namespace rankscope::gui {

/// The themes that users choose from.
enum class LookTheme { System, Light, Dark, HighContrast };
LookTheme look_theme(ThemeChoice choice);

/// Colours of ranks in plots, tables, strip and log.
enum class RankColors {
    OkabeIto,   ///< distinct for colour-blind users
    Tableau,    ///< the ten of Tableau and matplotlib
    Brightness  ///< one hue, from dark to light: for print
};
/// Which colours rank_color() gives from now on; false: it gives them already. Any thread.
bool set_rank_colors(RankColors colors);

/// How the program looks, as the user chose it.
struct Look {
    LookTheme theme = LookTheme::System;
    int font_points = 0;  ///< 0: the desktop's
    RankColors rank_colors = RankColors::OkabeIto;
    QString font_family = {};  ///< empty: the desktop's

    bool operator==(const Look&) const = default;
};
/// Fusion, palette, font and style sheet for the whole program. `system_is_dark`: the desktop's theme at start.
void apply_look(QApplication& app, const Look& look, bool system_is_dark);

/// White on black, 7 : 1 or more for every text, frames that are seen.
QPalette high_contrast_palette();
bool is_high_contrast(const QPalette& palette);
/// `colors` with what differs in high contrast.
ThemeColors high_contrast_colors(ThemeColors colors);
/// Light or dark, in any theme.
QPalette make_palette_of(LookTheme theme, bool system_is_dark);

}  // namespace rankscope::gui
