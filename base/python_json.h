// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// Python's json module, and others, write NaN, Infinity and -Infinity, which JSON does not have. A diverged loss is the
/// last that may be dropped: they become null, "inf" and "-inf". Nothing when there are none outside of strings.
std::optional<std::string> without_non_finite(std::string_view text);

}  // namespace rankscope
