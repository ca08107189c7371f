// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QSize>
#include <functional>

class QWidget;

namespace rankscope::gui::testing {

/// Settings, command palette, menus, first start, bars above the pages.
void window_shots(QSize size, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
