// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/display_check.h>
#include <gui/strings.h>

#include <unistd.h>

#include <QCoreApplication>
#include <cstdio>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(DisplayCheck)
};

void on_message(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (type != QtFatalMsg) {
        // Qt's warnings about the display precede the fatal message, which is replaced below.
        const QString category = QString::fromUtf8(context.category);
        if (!category.startsWith(u"qt.qpa"_s)) {
            std::fprintf(stderr, "%s\n", qPrintable(message));
        }
        return;
    }
    const QString display = qEnvironmentVariable("DISPLAY");
    const QString wayland = qEnvironmentVariable("WAYLAND_DISPLAY");
    const QString why =
        display.isEmpty() && wayland.isEmpty()
            ? Words::tr("there is no display (DISPLAY and WAYLAND_DISPLAY are not set)")
            : Words::tr("the display %1 cannot be used").arg(wayland.isEmpty() ? display : wayland);
    std::fprintf(
        stderr, "rankscope: %s\n",
        qPrintable(Words::tr("Cannot open a window: %1. In a terminal use rankscopectl, or connect with "
                             "`ssh -X`.")
                       .arg(why)));
    std::fflush(stderr);
    ::_exit(1);  // returning from here aborts
}

}  // namespace

DisplayCheck::DisplayCheck() {
    qInstallMessageHandler(on_message);
}

DisplayCheck::~DisplayCheck() {
    qInstallMessageHandler(nullptr);
}

}  // namespace rankscope::gui
