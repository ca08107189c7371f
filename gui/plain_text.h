// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QTextDocument>

namespace rankscope::gui {

/// Text for what guesses whether it is HTML (tool tips, message boxes): shown as it is written. A run, a metric or a
/// file may be called "<img src=x>".
inline QString plain_text(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

}  // namespace rankscope::gui
