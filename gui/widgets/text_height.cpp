// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/text_height.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

int text_height(const QFont& font, int lines) {
    const QFontMetricsF metrics(font);
    return lines * int(std::ceil(metrics.ascent() + metrics.descent() + std::max(metrics.leading(), 0.0)));
}

}  // namespace rankscope::gui
