// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Whether a TCP port can be bound on all addresses; when not, `held_by` names the process where it is
/// readable.
bool port_is_free(std::uint16_t port, std::string& held_by);
/// The process that listens on the port, as far as this user may see it; 0: none, or another's.
pid_t holder_of_port(std::uint16_t port);
/// A socket of this network namespace whose local port this is: a listener where there is one, else one that has a
/// connection. Nothing: none.
struct PortSocket {
    bool listens = false;
    uid_t user = 0;
    pid_t holder = 0;  ///< 0: not ours to see
};
std::optional<PortSocket> socket_of_port(std::uint16_t port);
/// 0, or the errno of bind(2) to the port on all addresses.
int bind_error(std::uint16_t port);
/// The ports that this process listens on.
std::vector<std::uint16_t> listening_ports_of(pid_t pid);
/// A free port of the kernel's choice, on all addresses; 0 when there is none.
std::uint16_t pick_free_port();

/// A port that the kernel assigns to no other socket while this object exists, neither for a bind to port 0 nor for a
/// connection.
/// It does not listen. A program that names the port and sets SO_REUSEADDR, as the stores of PyTorch and of our engine
/// do, can listen on it meanwhile (socket(7)).
struct HeldPort {
    UniqueFd fd;
    std::uint16_t port = 0;  ///< 0: there is none
};
/// 0: a free one of the kernel's choice.
HeldPort hold_port(std::uint16_t port);

}  // namespace rankscope::agent
