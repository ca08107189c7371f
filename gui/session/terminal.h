// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QStringList>

namespace rankscope::gui {

/// The command line that runs `command` in a terminal window. The first that is installed of: the words of $TERMINAL,
/// xdg-terminal-exec, Debian's x-terminal-emulator, the terminals of the usual desktops. Empty: none is.
QStringList in_terminal(const QStringList& command);

/// Starts it and leaves it running. False: no terminal is installed, or it does not start.
bool open_terminal(const QStringList& command);

}  // namespace rankscope::gui
