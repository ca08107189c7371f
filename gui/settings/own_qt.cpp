// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <gui/settings/own_qt.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>

namespace rankscope::gui {

QString own_qt_folder() {
    const QDir folder(QString::fromStdString(program_dir().string()) % u"/../lib/rankscope/qt"_s);
    return folder.exists() ? folder.canonicalPath() : QString();
}

void use_own_qt() {
    const QString folder = own_qt_folder();
    if (folder.isEmpty()) {
        return;
    }
    QCoreApplication::setLibraryPaths({folder % u"/plugins"_s});
    if (!qEnvironmentVariableIsSet("FONTCONFIG_FILE") && !QFile::exists(u"/etc/fonts/fonts.conf"_s)) {
        qputenv("FONTCONFIG_FILE", QFile::encodeName(folder % u"/fonts/fonts.conf"_s));
    }
}

}  // namespace rankscope::gui
