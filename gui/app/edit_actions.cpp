// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The actions of the Edit menu, which the part of the window with the focus does.

#include <gui/app/window_actions.h>
#include <gui/strings.h>

#include <QApplication>
#include <QDialog>
#include <QMenuBar>
#include <QWidget>

namespace rankscope::gui {

namespace {

/// In the window or in a pane beside it. Dialogs and the menu bar, which takes the focus for the keyboard, do not count.
bool is_place(const QWidget* window, const QWidget* focus) {
    for (const QWidget* at = focus; at != nullptr; at = at->parentWidget()) {
        if (qobject_cast<const QDialog*>(at) || qobject_cast<const QMenuBar*>(at)) {
            return false;
        }
        if (at == window) {
            return true;
        }
    }
    return false;
}

}  // namespace

void WindowActions::add_page_command(const QString& id, const QString& text, PageCommand command,
                                     const QString& keys, const QString& also, const QString& why) {
    const auto target = [window = window_, last = focus_, command] {
        QWidget* focus = QApplication::focusWidget();
        if (!is_place(window, focus)) {
            focus = *last && (*last)->isVisible() ? last->data() : window->focusWidget();
        }
        return command_target(focus, window->page_widget(window->page()), command);
    };
    registry_->add({.id = id,
                    .text = text,
                    .group = tr("Edit"),
                    .run =
                        [target] {
                            if (const CommandTarget found = target(); found.can) {
                                found.run();
                            }
                        },
                    .keys = keys,
                    .blocked = [target, why]() -> QString { return target().can ? QString() : why; },
                    .also = also});
}

void WindowActions::add_edit() {
    QObject::connect(qApp, &QApplication::focusChanged, registry_,
                     [window = static_cast<const QWidget*>(window_), last = focus_](QWidget*, QWidget* now) {
                         if (now != nullptr && is_place(window, now)) {
                             *last = now;
                         }
                     });
    const QString nothing = tr("There is nothing to undo here.");
    add_page_command(u"edit.undo"_s, tr("&Undo"), PageCommand::Undo, u"Ctrl+Z"_s, {}, nothing);
    add_page_command(u"edit.redo"_s, tr("&Redo"), PageCommand::Redo, u"Ctrl+Shift+Z"_s, u"Ctrl+Y"_s,
                     tr("There is nothing to redo here."));
    add_page_command(u"edit.copy"_s, tr("&Copy"), PageCommand::Copy, u"Ctrl+C"_s, {},
                     tr("Select text or rows first."));
    add_page_command(u"edit.find"_s, tr("&Find…"), PageCommand::Find, u"Ctrl+F"_s, {},
                     tr("Show a run in Live, or open Runs: these can be searched."));
    const QString no_search = tr("Search in the log of Live first.");
    add_page_command(u"edit.find_next"_s, tr("Find &next"), PageCommand::FindNext, u"F3"_s, {}, no_search);
    add_page_command(u"edit.find_previous"_s, tr("Find &previous"), PageCommand::FindPrevious, u"Shift+F3"_s,
                     {}, no_search);
}

}  // namespace rankscope::gui
