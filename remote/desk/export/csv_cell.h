// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope {

/// A field of a CSV file, in quotes where it needs them (RFC 4180).
std::string csv_cell(const std::string& text);

}  // namespace rankscope
