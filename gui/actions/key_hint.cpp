// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/key_hint.h>
#include <gui/strings.h>

#include <QVariant>
#include <QWidget>

namespace rankscope::gui {

namespace {

constexpr const char* kAction = "keyHintAction";
constexpr const char* kProperty = "keyHintProperty";
constexpr const char* kText = "keyHintText";

}  // namespace

void show_keys(QWidget* widget, const QString& action, const char* property) {
    widget->setProperty(kAction, action);
    widget->setProperty(kProperty, QByteArray(property));
    widget->setProperty(kText, widget->property(property));
}

void update_key_hints(QWidget* window, const std::function<QString(const QString& action)>& keys_of) {
    for (QWidget* widget : window->findChildren<QWidget*>()) {
        const QString action = widget->property(kAction).toString();
        if (action.isEmpty()) {
            continue;
        }
        const QString text = widget->property(kText).toString();
        const QString keys = keys_of(action);
        const QString shown = keys.isEmpty() ? text : text.isEmpty() ? keys : u"%1 (%2)"_s.arg(text, keys);
        widget->setProperty(widget->property(kProperty).toByteArray().constData(), shown);
    }
}

}  // namespace rankscope::gui
