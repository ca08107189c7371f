// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <tests/gui/gui_test.h>
#include <tests/gui/user_hand.h>

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QWheelEvent>
#include <QWindow>

namespace rankscope::gui::testing {

void expect_soon(const std::function<bool()>& condition, const std::string& what, int limit_ms) {
    if (!wait_until(condition, limit_ms)) {
        throw StepFailed("not within " + std::to_string(limit_ms / 1000) + " s: " + what);
    }
}

namespace hand {

namespace {

std::string name_of(const QWidget* widget) {
    return ss(widget->objectName().isEmpty() ? QString::fromLatin1(widget->metaObject()->className())
                                             : widget->objectName());
}

QWindow* window_of(const QWidget* widget) {
    QWindow* window = widget->window()->windowHandle();
    if (window == nullptr || !window->isVisible()) {
        throw StepFailed("the window of " + name_of(widget) + " is not on the screen");
    }
    return window;
}

/// What a click there would reach.
bool is_on_top(const QWidget* widget, const QPoint& at) {
    const QWidget* top = widget->window();
    const QPoint there = widget->mapTo(top, at);
    const QWidget* hit = top->rect().contains(there) ? top->childAt(there) : nullptr;
    return hit == widget || (hit != nullptr && widget->isAncestorOf(hit)) ||
           (widget == top && hit == nullptr && top->rect().contains(there));
}

void turn_wheel(QWidget* viewport, int notches) {
    const QPointF middle = viewport->rect().center();
    QWheelEvent wheel(middle, viewport->mapToGlobal(middle), {}, {0, notches * 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(viewport, &wheel);
    QApplication::processEvents();
}

/// Scrolls the pages and cards that hold the widget until the place is inside of them.
void bring_into_view(const QWidget* widget, const QPoint& at) {
    for (QWidget* parent = widget->parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
        auto* area = qobject_cast<QAbstractScrollArea*>(parent);
        if (area == nullptr || !area->viewport()->isAncestorOf(widget)) {
            continue;
        }
        constexpr int kMargin = 12;
        constexpr int kMostTurns = 200;
        for (int i = 0; i < kMostTurns; ++i) {
            const int y = widget->mapTo(area->viewport(), at).y();
            const int before = area->verticalScrollBar()->value();
            if (y < kMargin) {
                turn_wheel(area->viewport(), 1);
            } else if (y > area->viewport()->height() - kMargin) {
                turn_wheel(area->viewport(), -1);
            }
            if (area->verticalScrollBar()->value() == before) {
                break;
            }
        }
    }
}

void check_reach(QWidget* widget, const QPoint& at) {
    if (!widget->isVisible()) {
        throw StepFailed(name_of(widget) + " is not visible");
    }
    if (!widget->isEnabled()) {
        throw StepFailed(name_of(widget) + " is disabled");
    }
    bring_into_view(widget, at);
    if (!is_on_top(widget, at)) {
        throw StepFailed(name_of(widget) + " is covered or out of view");
    }
    QWidget* modal = QApplication::activeModalWidget();
    if (modal != nullptr && modal != widget->window() && QApplication::activePopupWidget() == nullptr) {
        throw StepFailed(name_of(widget) + " is behind the dialog " + name_of(modal));
    }
}

}  // namespace

void click_at(QWidget* widget, const QPoint& at, Qt::KeyboardModifiers modifiers) {
    check_reach(widget, at);
    QTest::mouseClick(window_of(widget), Qt::LeftButton, modifiers, widget->mapTo(widget->window(), at));
}

void click(QWidget* widget, Qt::KeyboardModifiers modifiers) {
    click_at(widget, widget->rect().center(), modifiers);
}

void double_click(QWidget* widget) {
    check_reach(widget, widget->rect().center());
    QTest::mouseDClick(window_of(widget), Qt::LeftButton, {},
                       widget->mapTo(widget->window(), widget->rect().center()));
}

void move_to(QWidget* widget, const QPoint& at) {
    check_reach(widget, at);
    QTest::mouseMove(window_of(widget), widget->mapTo(widget->window(), at));
}

void click_row(QAbstractItemView* view, int row, Qt::KeyboardModifiers modifiers) {
    const QModelIndex index = view->model()->index(row, 0);
    if (!index.isValid()) {
        throw StepFailed(name_of(view) + " has no row " + std::to_string(row));
    }
    bring_into_view(view, view->rect().center());
    view->scrollTo(index);
    const QRect place = view->visualRect(index);
    // Right of a box or a star at its beginning.
    click_at(view->viewport(), {place.left() + place.width() * 2 / 3, place.center().y()}, modifiers);
}

void press(QWidget* in, Qt::Key key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(window_of(in), key, modifiers);
}

void type(QWidget* in, const QString& text) {
    QWindow* window = window_of(in);
    for (const QChar letter : text) {
        QTest::keyClick(window, letter.toLatin1());
    }
}

void write(QWidget* field, const QString& text) {
    click(field);
    press(field, Qt::Key_A, Qt::ControlModifier);
    if (text.isEmpty()) {
        press(field, Qt::Key_Delete);
    } else {
        type(field, text);
    }
}

void choose(QComboBox* box, const QString& data) {
    const int wanted = box->findData(data);
    const int at = wanted >= 0 ? wanted : box->findText(data);
    if (at < 0) {
        throw StepFailed(name_of(box) + " offers no " + ss(data));
    }
    if (box->currentIndex() == at) {
        return;
    }
    click(box);
    QAbstractItemView* list = box->view();
    expect_soon([&] { return list->isVisible() && list->window()->windowHandle() != nullptr; },
                "the list of " + name_of(box) + " opens");
    const Qt::Key way = list->currentIndex().row() < at ? Qt::Key_Down : Qt::Key_Up;
    for (int i = 0; i < box->count() && list->currentIndex().row() != at; ++i) {
        press(list, way);
    }
    press(list, Qt::Key_Return);
    expect_soon([&] { return box->currentIndex() == at && !list->isVisible(); },
                name_of(box) + " takes " + ss(data));
}

void choose_action(QWidget* menu_button, const QString& object_name) {
    const auto* button = qobject_cast<QPushButton*>(menu_button);
    QMenu* menu = button == nullptr ? nullptr : button->menu();
    if (menu == nullptr) {
        throw StepFailed(name_of(menu_button) + " has no menu");
    }
    QAction* action = menu->findChild<QAction*>(object_name);
    if (action == nullptr) {
        throw StepFailed(name_of(menu_button) + " has no action " + ss(object_name));
    }
    // The button opens its menu in a loop of its own: the press returns when the menu is closed.
    QMetaObject::invokeMethod(
        menu,
        [menu, action] {
            if (wait_until([menu] { return menu->isVisible() && menu->windowHandle() != nullptr; })) {
                QTest::mouseClick(menu->windowHandle(), Qt::LeftButton, {},
                                  menu->actionGeometry(action).center());
            }
        },
        Qt::QueuedConnection);
    click(menu_button);
}

QString click_link(QTextBrowser* text) {
    for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            if (!fragment.charFormat().isAnchor()) {
                continue;
            }
            QTextCursor cursor(text->document());
            cursor.setPosition(fragment.position() + 1);
            QRect place = text->cursorRect(cursor);
            for (int i = 0; i < 40 && !text->viewport()->rect().contains(place.center()); ++i) {
                turn_wheel(text->viewport(), place.top() < 0 ? 1 : -1);
                place = text->cursorRect(cursor);
            }
            click_at(text->viewport(), place.center());
            return fragment.text();
        }
    }
    return {};
}

}  // namespace hand

}  // namespace rankscope::gui::testing
