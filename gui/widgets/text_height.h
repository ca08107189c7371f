// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

class QFont;

namespace rankscope::gui {

/// What so many lines of plain text need, without margins: Qt rounds the height of each line up.
int text_height(const QFont& font, int lines);

}  // namespace rankscope::gui
