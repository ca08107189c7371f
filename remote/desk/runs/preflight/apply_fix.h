// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/diagnosis/check.h>

#include <stop_token>
#include <string>

namespace rankscope::inline runs {

struct FixRequest {
    Inventory inventory;
    Fix fix;                 ///< with a command
    bool undo = false;       ///< runs Fix::undo instead
    Prompter prompter = {};  ///< sudo's password, where it asks for one
};

/// Runs the command of a fix on its node, exactly as it was shown, in a shell of the user; blocks, so call it from a
/// thread of its own. Returns what the command wrote. Failures: of the connection, "sudo-refused", "fix-failed" (with
/// the output as detail), "cancelled".
Result<std::string> apply_fix(const FixRequest& request, const std::stop_token& stop);

}  // namespace rankscope::inline runs
