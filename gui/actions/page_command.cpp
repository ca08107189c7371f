// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/page_command.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QAbstractItemView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTextDocument>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

/// Rows as lines, cells separated by tabs, as spreadsheets take them.
QString selected_text(const QAbstractItemView& view) {
    QModelIndexList cells = view.selectionModel()->selectedIndexes();
    std::sort(cells.begin(), cells.end());
    QString text;
    QModelIndex before;
    for (const QModelIndex& cell : cells) {
        if (view.visualRect(cell).isEmpty()) {
            continue;  // a hidden column
        }
        if (before.isValid()) {
            text += before.row() == cell.row() && before.parent() == cell.parent() ? u'\t' : u'\n';
        }
        text += cell.data().toString();
        before = cell;
    }
    return text;
}

CommandTarget copy_of(QWidget* focus) {
    if (auto* line = qobject_cast<QLineEdit*>(focus)) {
        return {[line] { line->copy(); }, line->hasSelectedText()};
    }
    if (auto* edit = qobject_cast<QPlainTextEdit*>(focus)) {
        return {[edit] { edit->copy(); }, edit->textCursor().hasSelection()};
    }
    if (auto* label = qobject_cast<QLabel*>(focus)) {
        return {[label] { copy_to_clipboard(label->selectedText()); }, label->hasSelectedText()};
    }
    if (auto* view = qobject_cast<QAbstractItemView*>(focus); view && view->selectionModel()) {
        return {[view] { copy_to_clipboard(selected_text(*view)); }, view->selectionModel()->hasSelection()};
    }
    return {};
}

/// What the focused widget does by itself.
CommandTarget own_target(QWidget* focus, PageCommand command) {
    if (command == PageCommand::Copy) {
        return copy_of(focus);
    }
    const bool undo = command == PageCommand::Undo;
    if (!undo && command != PageCommand::Redo) {
        return {};
    }
    if (auto* line = qobject_cast<QLineEdit*>(focus)) {
        return {[line, undo] { undo ? line->undo() : line->redo(); },
                undo ? line->isUndoAvailable() : line->isRedoAvailable()};
    }
    if (auto* edit = qobject_cast<QPlainTextEdit*>(focus)) {
        const QTextDocument* text = edit->document();
        return {[edit, undo] { undo ? edit->undo() : edit->redo(); },
                undo ? text->isUndoAvailable() : text->isRedoAvailable()};
    }
    return {};
}

CommandTarget target_of(const PageCommandHandler& handler) {
    return {[found = QPointer(&handler)] {
                if (found) {
                    found->run();
                }
            },
            handler.can()};
}

const PageCommandHandler* handler_of(const QWidget& widget, PageCommand command) {
    for (const auto* handler :
         widget.findChildren<PageCommandHandler*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (handler->command() == command) {
            return handler;
        }
    }
    return nullptr;
}

}  // namespace

PageCommandHandler::PageCommandHandler(QWidget* where, PageCommand command, std::function<void()> run,
                                       std::function<bool()> can)
    : QObject(where), command_(command), run_(std::move(run)), can_(std::move(can)) {}

void on_command(QWidget* where, PageCommand command, std::function<void()> run, std::function<bool()> can) {
    new PageCommandHandler(where, command, std::move(run), std::move(can));  // a child of `where`
}

CommandTarget command_target(QWidget* focus, QWidget* page, PageCommand command) {
    for (const QWidget* at = focus; at != nullptr; at = at->parentWidget()) {
        if (const PageCommandHandler* handler = handler_of(*at, command)) {
            return target_of(*handler);
        }
    }
    CommandTarget own = own_target(focus, command);
    if (own.can) {
        return own;
    }
    if (page != nullptr) {
        if (const PageCommandHandler* handler = handler_of(*page, command)) {
            return target_of(*handler);
        }
        for (const auto* handler : page->findChildren<PageCommandHandler*>()) {
            const auto* where = qobject_cast<const QWidget*>(handler->parent());
            if (handler->command() == command && where && where->isVisible()) {
                return target_of(*handler);
            }
        }
    }
    return own;
}

}  // namespace rankscope::gui
