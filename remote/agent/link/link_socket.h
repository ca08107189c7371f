// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::agent {

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

/// Nothing for a name.
std::optional<Address> numeric_address(const std::string& text, std::uint16_t port);
/// Non-blocking, without TCP delay. Empty on failure (errno).
UniqueFd tcp_socket(int family);
/// Bound to a free port of the address that the ranks of the run use, or, where it is a name or not of this
/// machine, of all addresses. Empty on failure (errno).
UniqueFd bound_socket(const std::string& address);

}  // namespace rankscope::agent
