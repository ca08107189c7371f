// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>

namespace rankscope::agent {

/// Whether a TCP port can be bound on all addresses; when not, `held_by` names the process where it is
/// readable.
bool port_is_free(std::uint16_t port, std::string& held_by);
/// A free port of the kernel's choice; 0 when there is none.
std::uint16_t pick_free_port();

}  // namespace rankscope::agent
