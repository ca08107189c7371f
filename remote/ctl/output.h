// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

namespace rankscope {
struct Verdict;
}

namespace rankscope::ctl {

/// One line of JSON on standard output; bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& json);
void print_json(const nlohmann::json& json);

/// The evidence and the fixes of a verdict, each on a line of its own, to follow its title.
void print_reasons(const Verdict& verdict);

}  // namespace rankscope::ctl
