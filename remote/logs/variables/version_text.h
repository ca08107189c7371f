// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string_view>

namespace rankscope::logs {

/// Whether a version is newer than another, by the parts that both have: 2.28.9 is not newer than 2.28. Not for texts
/// that do not begin with a number: those are never newer.
bool is_newer(std::string_view version, std::string_view other);

}  // namespace rankscope::logs
