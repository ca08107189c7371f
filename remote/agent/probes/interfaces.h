// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// The network interfaces of this process's network namespace in the kernel's order, all fields set; `up` is the
/// administrative state alone (IFF_UP). By netlink and ethtool requests, at user rights; no program, no /sys, which
/// may show another namespace. Empty: the kernel refuses (see errno in `error`).
std::vector<wire::Interface> network_interfaces(int& error);

/// One answer to RTM_GETLINK; false: damaged.
bool read_link(std::string_view body, wire::Interface& interface);
/// The interface's index, or 0, and its address with the prefix length: one answer to RTM_GETADDR.
struct AddressRecord {
    std::uint32_t index = 0;
    std::string address{};
    std::uint32_t prefix_length = 0;
};
AddressRecord read_address(std::string_view body);

/// A link's kind as in wire::Interface. `info`: IFLA_INFO_KIND ("veth", "ipoib", …; empty for devices of drivers),
/// `hardware`: ARPHRD_…, `has_device`: a bus knows it.
std::string interface_kind(std::string_view info, unsigned hardware, bool has_device);

}  // namespace rankscope::agent
