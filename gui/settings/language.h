// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <vector>

class QObject;

namespace rankscope::gui {

/// The user's choice in the settings file: read before everything else, because what that reads has texts.
inline const QString kLanguageKey = QStringLiteral("appearance/language");

struct Language {
    QString code;  ///< "en", "zh_CN"
    QString name;  ///< in the language itself
};

/// Those the window speaks, English first.
std::vector<Language> languages();

/// The language for a choice of the user: a code, or empty or "system" for the desktop's. English where there is no
/// translation.
QString language_for(const QString& choice);

/// Installs the translations of this language, Qt's own among them, for as long as `owner` lives; before the first widget.
void install_language(QObject* owner, const QString& code);

/// Texts of base/ and remote/, which know no Qt, pass through Qt's translations from now on.
void translate_other_parts();

}  // namespace rankscope::gui
