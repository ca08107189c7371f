// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/runs/notify/run_alerts.h>

#include <string_view>

namespace rankscope::inline runs {

/// "plateau", "plateau of val_acc1", "plateau of loss for 500 steps".
bool is_plateau_rule(std::string_view line);
/// Adds AlertKind::Plateau with its metric and steps to the options. A failure where the text is another.
Result<void> add_plateau(std::string_view line, AlertOptions& options);

}  // namespace rankscope::inline runs
