// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <functional>
#include <stdexcept>
#include <string>

class QAbstractItemView;
class QComboBox;
class QModelIndex;
class QPoint;
class QTextBrowser;
class QWidget;

namespace rankscope::gui::testing {

/// What the window did not do, or what the hand could not reach.
struct StepFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Waits until `condition` holds; throws StepFailed("not within 10 s: " + what).
void expect_soon(const std::function<bool()>& condition, const std::string& what, int limit_ms = 10'000);

/// Mouse and keys of a user. They go to the window that holds the widget, as from the window system: what is covered,
/// hidden, disabled or scrolled out of view is not reached, and StepFailed says so. A page that scrolls is turned by the
/// wheel first.
namespace hand {

void click(QWidget* widget, Qt::KeyboardModifiers modifiers = {});
void click_at(QWidget* widget, const QPoint& at, Qt::KeyboardModifiers modifiers = {});
void double_click(QWidget* widget);
void move_to(QWidget* widget, const QPoint& at);
void click_row(QAbstractItemView* view, int row, Qt::KeyboardModifiers modifiers = {});
/// To whatever has the focus in the widget's window.
void press(QWidget* in, Qt::Key key, Qt::KeyboardModifiers modifiers = {});
void type(QWidget* in, const QString& text);
/// Clicks into the field and replaces what it holds.
void write(QWidget* field, const QString& text);
/// Opens the box and goes down to the item with this data.
void choose(QComboBox* box, const QString& data);
/// Opens the button's menu and clicks the action of that name.
void choose_action(QWidget* menu_button, const QString& object_name);
/// Clicks the first link. The link's text, or empty: there is none.
QString click_link(QTextBrowser* text);

}  // namespace hand

}  // namespace rankscope::gui::testing
