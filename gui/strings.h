// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QStringList>
#include <string>

namespace rankscope::gui {

using namespace Qt::StringLiterals;

inline QString qs(const std::string& text) {
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
inline std::string ss(const QString& text) {
    return text.toStdString();
}

}  // namespace rankscope::gui
