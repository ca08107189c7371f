// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/session/terminal.h>
#include <gui/strings.h>

#include <QProcess>
#include <QStandardPaths>
#include <array>

namespace rankscope::gui {

namespace {

/// A terminal and the word before the command; none: the command follows at once.
struct Terminal {
    const char* program;
    const char* before_command;
};
constexpr std::array<Terminal, 12> kTerminals{{{"xdg-terminal-exec", ""},
                                               {"x-terminal-emulator", "-e"},
                                               {"gnome-terminal", "--"},
                                               {"kgx", "-e"},
                                               {"konsole", "-e"},
                                               {"xfce4-terminal", "-x"},
                                               {"mate-terminal", "-x"},
                                               {"kitty", ""},
                                               {"alacritty", "-e"},
                                               {"foot", ""},
                                               {"wezterm", "start"},
                                               {"xterm", "-e"}}};

}  // namespace

QStringList in_terminal(const QStringList& command) {
    QStringList own = QProcess::splitCommand(qEnvironmentVariable("TERMINAL"));
    if (!own.isEmpty() && !QStandardPaths::findExecutable(own.front()).isEmpty()) {
        return own + QStringList{u"-e"_s} + command;
    }
    for (const Terminal& terminal : kTerminals) {
        const QString program = QStandardPaths::findExecutable(QString::fromLatin1(terminal.program));
        if (!program.isEmpty()) {
            QStringList all{program};
            if (*terminal.before_command != '\0') {
                all += QString::fromLatin1(terminal.before_command);
            }
            return all + command;
        }
    }
    return {};
}

bool open_terminal(const QStringList& command) {
    const QStringList all = in_terminal(command);
    return !all.isEmpty() && QProcess::startDetached(all.front(), all.mid(1));
}

}  // namespace rankscope::gui
