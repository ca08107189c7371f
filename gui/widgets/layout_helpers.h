// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <QStringList>

class QFrame;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QWidget;

/// The few shapes that the pages share, so that they look like one program. Roles are those of the style
/// sheet.
namespace rankscope::gui {

QLabel* make_label(const QString& text, QWidget* parent, const char* role = nullptr);
/// Fixes the height of a plain, wrapped text for a width: layouts give it the height of another width.
void fit_height(QLabel* label, int width);
QFrame* make_rule(QWidget* parent);
QPushButton* make_button(const QString& text, const char* object_name, QWidget* parent,
                         const char* role = nullptr);
/// A row without edges; what takes text gets the room that the other leaves.
QWidget* make_row(QWidget* parent, QWidget* first, QWidget* second);
/// Sets a dynamic property that the style sheet uses, and makes the style read it again.
void set_style_property(QWidget* widget, const char* name, const QString& value);
/// Rows to select, no grid, compact, elided in the middle, header to the theme.
void tune_table(QTableView* table, const char* object_name, const QString& accessible_name);
/// Completes what is typed from these words, wherever they contain it.
void offer_completions(QLineEdit* line, const QStringList& words);
void copy_to_clipboard(const QString& text);
/// The wheel scrolls the page under the pointer and changes the value only where the field has the focus.
void leave_wheel_to_page(QWidget* field);

}  // namespace rankscope::gui
