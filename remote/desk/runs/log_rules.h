// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/rules/rule_set.h>

namespace rankscope::inline runs {

/// The rules of the usual folders; titles and fixes in the user's language, where text() has one. A user's own rules
/// stay as they are.
logs::RuleSet log_rules();

}  // namespace rankscope::inline runs
