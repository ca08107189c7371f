// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/command_fix.h>

namespace rankscope {

Fix command_fix(const std::string& node, const ShellCommand& command, const ShellCommand& undo) {
    return {.node = node, .command = command.str(), .undo = undo.str()};
}

Fix root_fix(const std::string& node, const ShellCommand& command, const ShellCommand& undo) {
    return {.node = node, .command = command.str(), .undo = undo.str(), .needs_root = true};
}

}  // namespace rankscope
