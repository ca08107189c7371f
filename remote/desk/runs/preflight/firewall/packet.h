// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/flow.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

struct IpAddress {
    bool v6 = false;
    std::array<unsigned char, 16> bytes = {};  ///< network order; of IPv4 the first four

    bool operator==(const IpAddress&) const = default;
};

/// Numeric, with or without "%scope"; nothing for anything else.
std::optional<IpAddress> parse_ip(std::string_view text);
/// The address with every bit cleared that the mask does not have.
IpAddress masked(const IpAddress& address, const IpAddress& mask);
/// The mask of so many bits; nothing if there are more than the family has.
std::optional<IpAddress> prefix_mask(bool v6, int bits);

/// "10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.255.0" or "10.0.0.1-10.0.0.9".
struct AddressRange {
    IpAddress first;
    IpAddress last;
    IpAddress mask;  ///< of a prefix: what is compared with `first`
    bool by_mask = false;

    bool contains(const IpAddress& address) const;
};
std::optional<AddressRange> parse_address_range(std::string_view text);

/// A flow as rules see it.
struct Packet {
    bool v6 = false;
    std::optional<IpAddress> from;
    std::optional<IpAddress> to;
    std::string interface_name;
    int port = 0;
    bool outgoing = false;
    bool tracked = true;  ///< false: a rule may exempt it from connection tracking
};
/// Nothing when the flow has no address, or no port.
std::optional<Packet> packet_of(const FirewallFlow& flow);

}  // namespace rankscope::inline runs
