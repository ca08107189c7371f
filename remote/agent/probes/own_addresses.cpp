// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/probes/own_addresses.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace rankscope::agent {
namespace {

constexpr unsigned char kLoopbackNet = 127;

const sockaddr_in& v4_of(const sockaddr_storage& address) {
    return reinterpret_cast<const sockaddr_in&>(address);
}

const sockaddr_in6& v6_of(const sockaddr_storage& address) {
    return reinterpret_cast<const sockaddr_in6&>(address);
}

bool is_link_local(const sockaddr_storage& address) {
    return address.ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6_of(address).sin6_addr);
}

unsigned interface_index(const std::string& name) {
    if (const unsigned index = ::if_nametoindex(name.c_str()); index != 0) {
        return index;
    }
    return parse_number<unsigned>(name).value_or(0);
}

in_addr mapped_v4(const in6_addr& address) {
    in_addr v4{};
    std::memcpy(&v4, address.s6_addr + 12, sizeof v4);
    return v4;
}

}  // namespace

std::optional<Address> scoped_address(const std::string& text, std::uint16_t port) {
    const auto percent = text.find('%');
    auto address = numeric_address(text.substr(0, percent), port);
    if (!address || address->storage.ss_family != AF_INET6) {
        return percent == std::string::npos ? address : std::nullopt;
    }
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address->storage);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        return numeric_address(address_text(v6.sin6_addr), port);
    }
    if (percent != std::string::npos) {
        v6.sin6_scope_id = interface_index(text.substr(percent + 1));
        if (v6.sin6_scope_id == 0) {
            return std::nullopt;
        }
    }
    return address;
}

std::string address_text(const in6_addr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        const in_addr v4 = mapped_v4(address);
        ::inet_ntop(AF_INET, &v4, text.data(), text.size());
    } else {
        ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    }
    return text.data();
}

std::string address_text(const sockaddr_storage& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ss_family == AF_INET6) {
        return address_text(v6_of(address).sin6_addr);
    }
    if (address.ss_family == AF_INET) {
        ::inet_ntop(AF_INET, &v4_of(address).sin_addr, text.data(), text.size());
    }
    return text.data();
}

bool same_address(const sockaddr_storage& a, const sockaddr_storage& b) {
    if (a.ss_family != b.ss_family) {
        return false;
    }
    return a.ss_family == AF_INET6 ? IN6_ARE_ADDR_EQUAL(&v6_of(a).sin6_addr, &v6_of(b).sin6_addr)
                                   : v4_of(a).sin_addr.s_addr == v4_of(b).sin_addr.s_addr;
}

OwnAddresses::OwnAddresses() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        const int family = entry->ifa_addr != nullptr ? entry->ifa_addr->sa_family : AF_UNSPEC;
        if (family == AF_INET || family == AF_INET6) {
            Entry& added = entries_.emplace_back();
            added.interface = entry->ifa_name;
            added.address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
            std::memcpy(&added.address.storage, entry->ifa_addr, added.address.size);
        }
    }
}

bool OwnAddresses::contains(const sockaddr_storage& address) const {
    if (address.ss_family == AF_INET && ntohl(v4_of(address).sin_addr.s_addr) >> 24U == kLoopbackNet) {
        return true;
    }
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return same_address(entry.address.storage, address); });
}

std::optional<Address> OwnAddresses::source_on(const std::string& interface,
                                               const sockaddr_storage& target) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.interface == interface && entry.address.storage.ss_family == target.ss_family &&
               is_link_local(entry.address.storage) == is_link_local(target);
    });
    return found == entries_.end() ? std::nullopt : std::optional(found->address);
}

}  // namespace rankscope::agent
