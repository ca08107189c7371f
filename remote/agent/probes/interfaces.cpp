// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/utf8.h>
#include <remote/agent/node/netlink.h>
#include <remote/agent/probes/interfaces.h>

#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>

namespace rankscope::agent {
namespace {

// Newer than the kernel headers of the oldest system that this is built on.
constexpr std::uint16_t kParentDeviceName = 56;  // IFLA_PARENT_DEV_NAME

std::string as_text(std::string_view value) {
    return as_utf8(std::string(value.substr(0, value.find('\0'))));
}

std::string mac_text(std::string_view bytes) {
    if (std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; })) {
        return {};
    }
    std::string text;
    for (const char byte : bytes) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), "%s%02x", text.empty() ? "" : ":",
                      static_cast<unsigned>(static_cast<unsigned char>(byte)));
        text += hex.data();
    }
    return text;
}

template <typename Request>
bool ask_ethtool(int fd, const std::string& name, Request& request) {
    ifreq call{};
    std::strncpy(call.ifr_name, name.c_str(), IFNAMSIZ - 1);
    call.ifr_data = reinterpret_cast<char*>(&request);
    return ::ioctl(fd, SIOCETHTOOL, &call) == 0;
}

// What only the driver knows; kinds without a driver report their own name.
void add_driver_facts(int fd, wire::Interface& interface) {
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    if (interface.driver().empty() && ask_ethtool(fd, interface.name(), driver)) {
        interface.set_driver(as_text({driver.driver, sizeof driver.driver}));
        if (interface.kind() == "virtual" && driver.bus_info[0] != '\0') {
            interface.set_kind("physical");  // a kernel that does not report the parent device
        }
    }
    ethtool_cmd link{};
    link.cmd = ETHTOOL_GSET;
    if (ask_ethtool(fd, interface.name(), link)) {
        const std::uint32_t speed = static_cast<std::uint32_t>(link.speed_hi) << 16U | link.speed;
        const bool known =
            speed != 0 && speed < 0x7fffffff && speed != 0xffff;  // SPEED_UNKNOWN, of 16 or 32 bits
        interface.set_speed_mbit(known ? static_cast<std::int32_t>(speed) : 0);
    }
}

}  // namespace

std::string interface_kind(std::string_view info, unsigned hardware, bool has_device) {
    if (hardware == ARPHRD_LOOPBACK) {
        return "loopback";
    }
    if (hardware == ARPHRD_INFINIBAND) {
        return "infiniband";
    }
    for (const char* kind : {"bridge", "bond", "veth", "tun", "wireguard", "vlan", "dummy"}) {
        if (info == kind) {
            return kind;
        }
    }
    if (info == "openvswitch") {
        return "bridge";
    }
    return info.empty() && has_device ? "physical" : "virtual";
}

bool read_link(std::string_view body, wire::Interface& interface) {
    const auto header = read_as<ifinfomsg>(body);
    if (!header) {
        return false;
    }
    interface.set_index(static_cast<std::uint32_t>(header->ifi_index));
    interface.set_up((header->ifi_flags & IFF_UP) != 0);
    interface.set_carrier((header->ifi_flags & IFF_RUNNING) != 0);
    interface.set_loopback((header->ifi_flags & IFF_LOOPBACK) != 0);
    std::string info;
    bool has_device = false;
    for_each_attribute(body.substr(sizeof(ifinfomsg)), [&](std::uint16_t type, std::string_view value) {
        switch (type) {
            case IFLA_IFNAME:
                interface.set_name(as_text(value));
                break;
            case IFLA_MTU:
                interface.set_mtu(read_as<std::uint32_t>(value).value_or(0));
                break;
            case IFLA_ADDRESS:
                interface.set_mac(mac_text(value));
                break;
            case IFLA_LINKINFO:
                for_each_attribute(value, [&info](std::uint16_t inner, std::string_view text) {
                    if (inner == IFLA_INFO_KIND) {
                        info = as_text(text);
                    }
                });
                break;
            case IFLA_STATS64:
                // Older kernels end the struct earlier; these are among its first members.
                if (const auto counters = read_as<std::array<std::uint64_t, 8>>(value)) {
                    interface.set_errors((*counters)[4] + (*counters)[5]);
                    interface.set_drops((*counters)[6] + (*counters)[7]);
                }
                break;
            case kParentDeviceName:
                has_device = true;
                break;
            default:
                break;
        }
    });
    interface.set_kind(interface_kind(info, header->ifi_type, has_device));
    interface.set_driver(info);
    return !interface.name().empty();
}

AddressRecord read_address(std::string_view body) {
    const auto header = read_as<ifaddrmsg>(body);
    if (!header) {
        return {};
    }
    AddressRecord record{.prefix_length = header->ifa_prefixlen};
    std::string_view own;
    std::string_view address;
    for_each_attribute(body.substr(sizeof(ifaddrmsg)), [&](std::uint16_t type, std::string_view value) {
        own = type == IFA_LOCAL ? value : own;
        address = type == IFA_ADDRESS ? value : address;
    });
    // On a link between two, IFA_ADDRESS is the other side's.
    const std::string_view bytes = own.empty() ? address : own;
    const std::size_t wanted = header->ifa_family == AF_INET ? 4 : header->ifa_family == AF_INET6 ? 16 : 0;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (wanted == 0 || bytes.size() != wanted ||
        ::inet_ntop(header->ifa_family, bytes.data(), text.data(), text.size()) == nullptr) {
        return {};
    }
    record.index = header->ifa_index;
    record.address = text.data();
    return record;
}

std::vector<wire::Interface> network_interfaces(int& error) {
    std::vector<wire::Interface> interfaces;
    const NetlinkAnswer links = ask_netlink(NETLINK_ROUTE, RTM_GETLINK, NLM_F_DUMP, bytes_of(ifinfomsg{}));
    const NetlinkAnswer addresses =
        ask_netlink(NETLINK_ROUTE, RTM_GETADDR, NLM_F_DUMP, bytes_of(ifaddrmsg{}));
    error = links.error != 0 ? links.error : addresses.error;
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    for (const auto& message : links.messages) {
        if (wire::Interface interface; read_link(message, interface)) {
            add_driver_facts(socket.get(), interface);
            interfaces.push_back(std::move(interface));
        }
    }
    for (const auto& message : addresses.messages) {
        const AddressRecord record = read_address(message);
        const auto owner = std::find_if(interfaces.begin(), interfaces.end(), [&record](const auto& entry) {
            return record.index != 0 && entry.index() == record.index;
        });
        if (owner != interfaces.end()) {
            owner->add_addresses(record.address);
            owner->add_prefix_lengths(record.prefix_length);
        }
    }
    return interfaces;
}

}  // namespace rankscope::agent
