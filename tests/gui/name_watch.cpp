// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/strings.h>

#include <gtest/gtest.h>
#include <tests/gui/name_watch.h>

#include <QAccessible>
#include <QDialog>
#include <QEvent>
#include <QTimer>
#include <QWidget>

namespace rankscope::gui::testing {

namespace {

bool is_control(QAccessible::Role role) {
    static const QSet<QAccessible::Role> kControls{
        QAccessible::PushButton,     QAccessible::CheckBox,     QAccessible::RadioButton,
        QAccessible::ComboBox,       QAccessible::EditableText, QAccessible::SpinBox,
        QAccessible::Slider,         QAccessible::PageTab,      QAccessible::ButtonMenu,
        QAccessible::ButtonDropDown, QAccessible::Table,        QAccessible::Tree,
        QAccessible::List,           QAccessible::MenuItem,     QAccessible::Link,
        QAccessible::Chart,          QAccessible::Graphic,      QAccessible::Dial};
    return kControls.contains(role);
}

void collect(QAccessibleInterface* at, const QString& path, int depth, ControlNames& names) {
    constexpr int kDeepest = 40;
    if (at == nullptr || !at->isValid() || depth > kDeepest) {
        return;
    }
    const QString name = at->text(QAccessible::Name);
    QObject* object = at->object();
    const QString here =
        path % u'/' %
        (object == nullptr
             ? QString::number(int(at->role()))
             : QString(QString::fromLatin1(object->metaObject()->className()) % u'#' % object->objectName()));
    const bool hidden = at->state().invisible || at->state().offscreen;
    if (is_control(at->role())) {
        ++names.controls;
        if (name.trimmed().isEmpty() && !hidden) {
            names.unnamed += here;
        }
    }
    if (at->role() == QAccessible::Table || at->role() == QAccessible::Tree ||
        at->role() == QAccessible::List) {
        return;  // cells are values
    }
    for (int i = 0; i < at->childCount(); ++i) {
        collect(at->child(i), here, depth + 1, names);
    }
}

/// A part that stands alone in its test has its name from the window that holds it.
bool is_whole(const QWidget& widget) {
    const QWidget* window = widget.window();
    return qobject_cast<const QDialog*>(window) != nullptr ||
           qobject_cast<const MainWindow*>(window) != nullptr;
}

}  // namespace

ControlNames control_names(QAccessibleInterface* root) {
    ControlNames names;
    collect(root, {}, 0, names);
    return names;
}

bool NameWatch::eventFilter(QObject* watched, QEvent* event) {
    auto* widget = event->type() == QEvent::Show ? qobject_cast<QWidget*>(watched) : nullptr;
    const QString kind = widget ? QString::fromLatin1(widget->metaObject()->className()) : QString();
    if (kind.startsWith(u"rankscope::gui::"_s) && !seen_.contains(kind)) {
        QTimer::singleShot(0, widget, [this, widget, kind] {
            if (!widget->isVisible() || !is_whole(*widget) || seen_.contains(kind)) {
                return;
            }
            seen_ += kind;
            const ControlNames names = control_names(QAccessible::queryAccessibleInterface(widget));
            EXPECT_TRUE(names.unnamed.isEmpty()) << "controls without an accessible name:\n"
                                                 << qPrintable(names.unnamed.join(u'\n'));
        });
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace rankscope::gui::testing
