// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/base/failure.h>
#include <remote/config/inventory.h>
#include <remote/transport/prompter.h>
#include <remote/transport/ssh_session.h>

#include <functional>
#include <string>

namespace rankscope {

/// Agent and keys first, then keyboard-interactive and password with what the person types (three attempts).
/// Returns the way that worked, for the description: "agent or key", "password".
Result<std::string> authenticate(ssh_session session, const SshTarget& target, const NodeSpec& node,
                                 const Prompter& prompter,
                                 const std::function<void(const std::string&)>& progress);

}  // namespace rankscope
