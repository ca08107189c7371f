// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <gui/settings/language.h>
#include <gui/settings/own_qt.h>
#include <gui/strings.h>
#include <remote/desk/shared/text.h>

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>

namespace rankscope::gui {

std::vector<Language> languages() {
    return {{u"en"_s, u"English"_s}, {u"zh_CN"_s, u"简体中文"_s}};
}

QString language_for(const QString& choice) {
    const std::vector<Language> known = languages();
    const auto is = [](const QString& code) {
        return [code](const Language& language) { return language.code == code; };
    };
    if (std::any_of(known.begin(), known.end(), is(choice))) {
        return choice;
    }
    if (!choice.isEmpty() && choice != u"system"_s) {
        return known.front().code;
    }
    for (const QString& wanted : QLocale::system().uiLanguages()) {
        const QLocale locale(wanted);
        if (locale.language() == QLocale::English) {
            break;
        }
        // Traditional Chinese is another language for readers.
        if (locale.language() == QLocale::Chinese && locale.script() == QLocale::SimplifiedHanScript) {
            return u"zh_CN"_s;
        }
    }
    return known.front().code;
}

void install_language(QObject* owner, const QString& code) {
    const auto install = [owner](const QString& file, const QString& folder) {
        auto* translator = new QTranslator(owner);
        if (translator->load(file, folder)) {
            QCoreApplication::installTranslator(translator);
        } else {
            delete translator;
        }
    };
    if (code != u"en"_s) {  // for which ours has the plurals alone
        const QString own = own_qt_folder();
        install(u"qtbase_"_s % code, own.isEmpty() ? QLibraryInfo::path(QLibraryInfo::TranslationsPath)
                                                   : own % u"/translations"_s);
    }
    install(u"rankscope_"_s % code, u":/translations"_s);
}

void translate_other_parts() {
    config::set_translation(
        [](const char* pattern) { return QCoreApplication::translate("config", pattern).toStdString(); });
    set_translator([](const char* context, const char* source) {
        return QCoreApplication::translate(context, source).toStdString();
    });
}

}  // namespace rankscope::gui
