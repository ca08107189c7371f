// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/check.h>

#include <optional>
#include <string>

namespace rankscope::inline runs {

/// Lets `name` lead to `address` on `node`, by /etc/hosts, and the undo. Nothing where a node reported what is no host
/// name, or no address.
std::optional<Fix> hosts_line(const std::string& node, const std::string& address, const std::string& name);

}  // namespace rankscope::inline runs
