// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QColor>

namespace rankscope::gui {

/// WCAG's relative luminance: 0 black, 1 white.
double luminance(const QColor& color);
/// WCAG's contrast of two colours: 1 to 21.
double contrast(const QColor& one, const QColor& other);
/// Between the two: 0 is `from`, 1 is `to`.
QColor blended(const QColor& from, const QColor& to, double share);

}  // namespace rankscope::gui
