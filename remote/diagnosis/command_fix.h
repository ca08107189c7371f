// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/shell_command.h>
#include <remote/diagnosis/check.h>

#include <string>

namespace rankscope {

/// A fix that is a command, for a shell of `node` (empty: of this computer). The only way to make one: so no text gets in
/// that was not checked. undo: empty where there is none.
Fix command_fix(const std::string& node, const ShellCommand& command, const ShellCommand& undo = {});
/// One that needs root there.
Fix root_fix(const std::string& node, const ShellCommand& command, const ShellCommand& undo = {});

}  // namespace rankscope
