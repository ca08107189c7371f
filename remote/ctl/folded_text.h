// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/fold/folded_rows.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace rankscope::ctl {

/// Prints each folded line with its ranks, and below it the ranks that differ. `sources`: names by LinePlace::file.
void print_folded(const logs::FoldedRows& rows, const std::vector<std::string>& sources);
nlohmann::ordered_json folded_json(const logs::FoldedRows& rows, const std::vector<std::string>& sources);

}  // namespace rankscope::ctl
