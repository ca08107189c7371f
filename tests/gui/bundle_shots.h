// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QSize>
#include <functional>

class QWidget;

namespace rankscope::gui::testing {

/// Failure bundles: what is saved, and files that cannot be opened.
void bundle_shots(QSize size, const std::function<void(QWidget*, const char*)>& take);

}  // namespace rankscope::gui::testing
