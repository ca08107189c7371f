// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope {

/// The shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string number_text(double value);
/// For people: so many significant digits.
std::string short_number_text(double value, int digits = 4);

}  // namespace rankscope
