// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace rankscope::gui {

/// What the window's menu and keys mean to the part that has the focus.
enum class PageCommand { Undo, Redo, Copy, Find, FindNext, FindPrevious, Save };

/// How a widget, and everything in it that has no handler of its own, does a command. A child of the widget.
class PageCommandHandler : public QObject {
    Q_OBJECT

public:
    PageCommandHandler(QWidget* where, PageCommand command, std::function<void()> run,
                       std::function<bool()> can);

    PageCommand command() const { return command_; }
    bool can() const { return !can_ || can_(); }
    void run() const { run_(); }

private:
    PageCommand command_;
    std::function<void()> run_;
    std::function<bool()> can_;
};

/// `where` does `command` by `run`. `can`: whether it can now; none: always.
void on_command(QWidget* where, PageCommand command, std::function<void()> run,
                std::function<bool()> can = {});

/// Who does a command now.
struct CommandTarget {
    std::function<void()> run;  ///< null: the page does not know the command
    bool can = false;
};
/// The nearest handler above `focus`, else that of a visible part of `page`. Undo, Redo and Copy of fields, tables and
/// texts need no handler.
CommandTarget command_target(QWidget* focus, QWidget* page, PageCommand command);

}  // namespace rankscope::gui
