// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace rankscope::gui {

/// Adds the keys of an action to a text of the widget, as they are now and when they change: "Next match (F3)".
/// `property`: the text, as it is without keys.
void show_keys(QWidget* widget, const QString& action, const char* property = "toolTip");
/// Writes the keys into all such texts of `window`. `keys_of`: an action's keys for users, empty for none.
void update_key_hints(QWidget* window, const std::function<QString(const QString& action)>& keys_of);

}  // namespace rankscope::gui
