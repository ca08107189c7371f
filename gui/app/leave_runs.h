// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <functional>
#include <vector>

class QWidget;

namespace rankscope::gui {

class RunSession;

/// What the user wants of runs in progress whose tab or window closes.
enum class Leaving { Leave, Stop };

/// Asks in a dialog of `window` called `name`, once at a time; `then` gets the answer unless the user cancels.
void ask_before_leaving(QWidget* window, const QString& name, const std::vector<RunSession*>& runs,
                        std::function<void(Leaving)> then);

}  // namespace rankscope::gui
