// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/session/options.h>
#include <gui/style/theme.h>
#include <remote/desk/text.h>

#include <QApplication>
#include <QSettings>
#include <cstdio>

int main(int argc, char** argv) {
    using namespace rankscope::gui;
    QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("rankscope"));
    QApplication::setApplicationName(QStringLiteral("rankscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Rankscope"));
    QApplication::setApplicationVersion(QStringLiteral(RANKSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("rankscope"));
    rankscope::set_translator([](const char* context, const char* source) {
        return QCoreApplication::translate(context, source).toStdString();
    });
    load_resources();

    ParsedOptions parsed = parse_options(QApplication::arguments());
    if (!parsed.error.isEmpty()) {
        std::fprintf(stderr, "rankscope: %s\n", qPrintable(parsed.error));
        return 2;
    }
    if (!parsed.text.isEmpty()) {
        std::printf("%s\n", qPrintable(parsed.text.trimmed()));
        return 0;
    }
    if (!parsed.options.theme_given) {
        parsed.options.theme = ThemeChoice(QSettings().value(QStringLiteral("theme"), 0).toInt());
    }
    const bool system_is_dark = is_dark(QApplication::palette());
    apply_theme(app, parsed.options.theme, system_is_dark);

    MainWindow window(parsed.options, system_is_dark);
    window.show();
    return QApplication::exec();
}
