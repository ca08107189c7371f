// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Numbers as texts, with a decimal point whatever locale the desktop has: printf() and strtod() follow it, and Qt sets it.

/// The shortest text that reads back as the same number; "nan", "inf", "-inf".
std::string number_text(double value);
/// For people: so many significant digits; "%.4g" of printf.
std::string short_number_text(double value, int digits = 4);
/// For columns: so many decimals; "%.1f" of printf.
std::string fixed_text(double value, int decimals);

/// The number that a text begins with, after blanks, which is removed from it; nothing where there is none or it does not
/// fit. strtod() without a locale.
std::optional<double> take_number(std::string_view& text);

}  // namespace rankscope
