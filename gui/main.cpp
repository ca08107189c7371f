// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/compact_heap.h>
#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/session/options.h>
#include <gui/settings/language.h>
#include <gui/settings/own_qt.h>
#include <gui/settings/settings.h>
#include <gui/strings.h>
#include <gui/style/look.h>
#include <gui/widgets/focus_ring.h>

#include <unistd.h>

#include <QApplication>
#include <QCoreApplication>
#include <QSettings>
#include <algorithm>
#include <clocale>
#include <cstdio>
#include <optional>

namespace {

using namespace rankscope::gui;

std::optional<int> finish(const ParsedOptions& parsed) {
    if (!parsed.error.isEmpty()) {
        std::fprintf(stderr, "rankscope: %s\n", qPrintable(parsed.error));
        return 2;
    }
    if (!parsed.text.isEmpty()) {
        std::printf("%s\n", qPrintable(parsed.text.trimmed()));
        return 0;
    }
    return std::nullopt;
}

/// The exit code of a command line that opens no window (--help, --version, wrong usage). Needs no display.
std::optional<int> finish_without_display(int argc, char** argv) {
    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        arguments += QString::fromLocal8Bit(argv[i]);
    }
    // Options of Qt itself (-platform, -style) have one dash; only QApplication knows them.
    const bool qt_options = std::any_of(arguments.cbegin(), arguments.cend(), [](const QString& argument) {
        return argument.startsWith(u'-') && !argument.startsWith(QStringLiteral("--"));
    });
    const ParsedOptions parsed = parse_options(arguments);
    return qt_options && !parsed.error.isEmpty() ? std::nullopt : finish(parsed);
}

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

/// While one exists, a display that cannot be used ends the program with exit code 1 and one sentence on
/// stderr. Qt itself would abort with a core dump. For the time in which QApplication is created.
class DisplayCheck {
public:
    DisplayCheck() { qInstallMessageHandler(on_message); }
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;
    ~DisplayCheck() { qInstallMessageHandler(nullptr); }
};

}  // namespace

int main(int argc, char** argv) {
    keep_heap_compact();
    QCoreApplication::setOrganizationName(QStringLiteral("rankscope"));
    QCoreApplication::setApplicationName(QStringLiteral("rankscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(RANKSCOPE_VERSION));
    if (const auto code = finish_without_display(argc, argv)) {
        return *code;
    }
    use_own_qt();
    std::optional<DisplayCheck> check(std::in_place);
    QApplication app(argc, argv);
    // It has set the desktop's locale. Numbers of files and commands have a point, also in libraries that use strtod().
    std::setlocale(LC_NUMERIC, "C");
    check.reset();
    QApplication::setApplicationDisplayName(QStringLiteral("Rankscope"));
    QApplication::setDesktopFileName(QStringLiteral("rankscope"));
    translate_other_parts();
    load_resources();

    ParsedOptions parsed = parse_options(QApplication::arguments());
    if (const auto code = finish(parsed)) {
        return *code;
    }
    if (parsed.options.language.isEmpty()) {
        parsed.options.language = QSettings().value(kLanguageKey).toString();
    }
    install_language(&app, language_for(parsed.options.language));
    const Settings settings = read_settings(QSettings()).settings;
    Look look = settings.look;
    look.theme = parsed.options.theme.value_or(look.theme);
    if (parsed.options.data_dir.empty()) {
        parsed.options.data_dir = settings.store_folder.toStdString();
    }
    const bool system_is_dark = is_dark(QApplication::palette());
    apply_look(app, look, system_is_dark);

    const FocusRing focus_ring(&app);
    MainWindow window(parsed.options, system_is_dark);
    window.restore_state();
    window.show();
    return QApplication::exec();
}
