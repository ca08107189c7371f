// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/link/link_socket.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// "10.0.0.1", "fd00::1", "fe80::1%eth0" (the interface by name or number). IPv4 mapped into IPv6 becomes IPv4.
/// Nothing for a name.
std::optional<Address> scoped_address(const std::string& text, std::uint16_t port);
/// Numeric, without port and interface. Empty: of another family.
std::string address_text(const sockaddr_storage& address);
/// As address_text(), of 16 bytes; IPv4 mapped into IPv6 as IPv4.
std::string address_text(const in6_addr& address);
/// Ports and interfaces do not count.
bool same_address(const sockaddr_storage& a, const sockaddr_storage& b);

/// The addresses of this machine's interfaces (of the calling thread's network namespace) at one moment.
class OwnAddresses {
public:
    OwnAddresses();

    bool contains(const sockaddr_storage& address) const;
    /// The one of an interface to use as source towards the target: of its family, and link-local only where the
    /// target is. Nothing: it has none.
    std::optional<Address> source_on(const std::string& interface, const sockaddr_storage& target) const;

private:
    struct Entry {
        std::string interface;
        Address address;
    };
    std::vector<Entry> entries_;
};

}  // namespace rankscope::agent
