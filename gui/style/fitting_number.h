// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <functional>

namespace rankscope::gui {

/// A number with as many digits as fit: "7.6123e-4" → "7.6e-4", "12 345" → "12.3k", "98.41 %" → "98 %". A number that is cut is
/// another number; where none fits there is "…". What is not a number stays as it is.
QString fitting_number(const QString& text, const std::function<bool(const QString&)>& fits);

}  // namespace rankscope::gui
