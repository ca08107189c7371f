// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/rank_holds.h>
#include <gui/models/fleet_model.h>
#include <gui/style/theme.h>
#include <remote/diagnosis/check.h>

#include <QIcon>
#include <QRectF>

class QPainter;

/// Signs drawn by the program: sharp at any scale and in the colours of the theme, without an image library.
namespace rankscope::gui {

/// A square whose shape shows the phase without colour: outline = waiting, dot = starting, ring =
/// rendezvous, full = training, half = validating, tick = done, cross = failed, bar = stopped. Below 9 px:
/// fill and outline only.
void draw_phase_glyph(QPainter& painter, const QRectF& box, RankPhase phase, const ThemeColors& colors);
QIcon phase_icon(RankPhase phase, const ThemeColors& colors);
/// The same square for what a live verdict says: exclamation mark = at fault, hourglass = waits for it.
void draw_hold_glyph(QPainter& painter, const QRectF& box, RankHold::Kind kind, const ThemeColors& colors);
QIcon hold_icon(RankHold::Kind kind, const ThemeColors& colors);
/// Lamp of a node: ring = not probed, half = connecting, tick = ready, cross = failed.
QIcon probe_icon(ProbeState state, const ThemeColors& colors);
QIcon outcome_icon(Outcome outcome, const ThemeColors& colors);

enum class StageSign { Waiting, Active, Done, Failed };
void draw_stage_sign(QPainter& painter, const QRectF& box, StageSign sign, const ThemeColors& colors);

/// Of a check: tick = passed, triangle = warning, cross = failed, ring = not seen.
void draw_check_sign(QPainter& painter, const QRectF& box, CheckStatus status, const ThemeColors& colors);
QIcon check_icon(CheckStatus status, const ThemeColors& colors);

enum class NavIcon { Fleet, Launch, Doctor, Live, Runs, Logs };
QIcon nav_icon(NavIcon icon, const QColor& color, const QColor& selected);
/// A filled square in a rank's colour, for tables and legends.
QIcon swatch_icon(const QColor& color);
/// The program's own sign: four ranks, one trace.
QIcon app_icon();

}  // namespace rankscope::gui
