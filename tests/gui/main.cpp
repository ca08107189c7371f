// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/resources.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <gtest/gtest.h>
#include <tests/gui/name_watch.h>

#include <QApplication>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace rankscope::gui;

/// Qt's warnings are faults of the window, as with QT_FATAL_WARNINGS=1; what a platform without a screen lacks is none.
void take_message(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    const bool of_platform = message.startsWith(u"This plugin does not support"_s) ||
                             message.startsWith(u"QStandardPaths: XDG_RUNTIME_DIR"_s);
    if (type != QtDebugMsg && type != QtInfoMsg && !of_platform) {
        ADD_FAILURE() << "Qt warns: " << qPrintable(message);
    }
    std::fprintf(stderr, "%s\n", qPrintable(message));
}

/// Sizes of texts depend on the font: tests choose theirs, whatever the default font of the system is.
void choose_fonts(const QString& folder) {
    if (!qEnvironmentVariableIsEmpty("FONTCONFIG_FILE")) {
        return;
    }
    QString text = u"<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig>"_s;
    for (const auto& [family, font] :
         {std::pair(u"sans-serif"_s, u"DejaVu Sans"_s), std::pair(u"monospace"_s, u"DejaVu Sans Mono"_s)}) {
        text += u"<alias binding=\"strong\"><family>"_s + family + u"</family><prefer><family>"_s + font +
                u"</family></prefer></alias>"_s;
    }
    text += u"<include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include></fontconfig>"_s;
    QFile file(folder + u"/fonts.conf"_s);
    if (file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0 && file.flush()) {
        qputenv("FONTCONFIG_FILE", file.fileName().toLocal8Bit());
    }
}

}  // namespace

int main(int argc, char** argv) {
    // No files of the user who runs the tests are read or written.
    const QTemporaryDir home;
    qputenv("HOME", home.path().toLocal8Bit());
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}) {
        qputenv(name, (home.path() + u'/' + QString::fromLatin1(name)).toLocal8Bit());
    }
    choose_fonts(home.path());
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    ::testing::InitGoogleTest(&argc, argv);
    qInstallMessageHandler(take_message);
    QApplication app(argc, argv);
    QApplication::setOrganizationName(u"rankscope-test"_s);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    rankscope::gui::testing::NameWatch names;
    app.installEventFilter(&names);
    return RUN_ALL_TESTS();
}
