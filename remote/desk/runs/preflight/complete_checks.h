// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/check.h>

#include <vector>

namespace rankscope::inline runs {

/// For reports: the most serious checks first, in each the changes of the job before the commands, and a remedy where
/// no fix is known.
void complete_checks(std::vector<Check>& checks);

}  // namespace rankscope::inline runs
