// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QClipboard>
#include <QCompleter>
#include <QEvent>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QTableView>

namespace rankscope::gui {

QLabel* make_label(const QString& text, QWidget* parent, const char* role) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    if (role) {
        label->setProperty("role", QString::fromLatin1(role));
    }
    return label;
}

// Not heightForWidth(): that is never below the height which was fixed before.
void fit_height(QLabel* label, int width) {
    const QRect room(0, 0, width, QWIDGETSIZE_MAX);
    label->setFixedHeight(label->fontMetrics().boundingRect(room, Qt::TextWordWrap, label->text()).height());
}

QFrame* make_rule(QWidget* parent) {
    auto* rule = new QFrame(parent);
    rule->setProperty("role", u"rule"_s);
    return rule;
}

QPushButton* make_button(const QString& text, const char* object_name, QWidget* parent, const char* role) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(object_name));
    button->setAutoDefault(false);
    if (role) {
        button->setProperty("role", QString::fromLatin1(role));
    }
    return button;
}

QWidget* make_row(QWidget* parent, QWidget* first, QWidget* second) {
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget : {first, second}) {
        layout->addWidget(widget, qobject_cast<QLineEdit*>(widget) ? 1 : 0);
    }
    return row;
}

void set_style_property(QWidget* widget, const char* name, const QString& value) {
    if (widget->property(name).toString() == value) {
        return;
    }
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

void tune_table(QTableView* table, const char* object_name, const QString& accessible_name) {
    table->setHorizontalHeader(new QuietHeader(table));
    table->setObjectName(QString::fromLatin1(object_name));
    table->setAccessibleName(accessible_name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideMiddle);
    table->setTabKeyNavigation(false);  // Tab leaves the table; arrows move inside
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 9);
    table->horizontalHeader()->setMinimumSectionSize(36);
}

void offer_completions(QLineEdit* line, const QStringList& words) {
    auto* completer = new QCompleter(words, line);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    line->setCompleter(completer);
}

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) {
            return false;
        }
        event->ignore();  // what is behind gets it
        return true;
    }
};

}  // namespace

void leave_wheel_to_page(QWidget* field) {
    field->setFocusPolicy(Qt::StrongFocus);  // the wheel gives none
    field->installEventFilter(new WheelGuard(field));
}

void copy_to_clipboard(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

}  // namespace rankscope::gui
