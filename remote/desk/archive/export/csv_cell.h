// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::inline archive {

/// A field of a CSV file, in quotes where it needs them (RFC 4180). A text that a spreadsheet would compute, because it
/// begins with =, @, a tab, or a sign and is no number, begins with ' instead; invisible characters become visible.
std::string csv_cell(const std::string& text);

}  // namespace rankscope::inline archive
