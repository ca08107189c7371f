// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/node_view.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::inline runs {
namespace {

struct Address {
    std::array<unsigned char, 16> bytes{};
    unsigned bits = 0;
};

std::optional<Address> parse(const std::string& text) {
    Address address;
    const std::string plain = text.substr(0, text.find('%'));
    if (::inet_pton(AF_INET, plain.c_str(), address.bytes.data()) == 1) {
        address.bits = 32;
        return address;
    }
    if (::inet_pton(AF_INET6, plain.c_str(), address.bytes.data()) == 1) {
        address.bits = 128;
        return address;
    }
    return std::nullopt;
}

}  // namespace

const wire::Interface* interface_of(const NodeView& view, const std::string& address) {
    for (const auto& interface : view.host.interfaces()) {
        if (std::find(interface.addresses().begin(), interface.addresses().end(), address) !=
            interface.addresses().end()) {
            return &interface;
        }
    }
    return nullptr;
}

bool is_loopback(const std::string& address) {
    const auto parsed = parse(address);
    return parsed && (parsed->bits == 32 ? parsed->bytes[0] == 127 : address == "::1");
}

bool is_link_local(const std::string& address) {
    const auto parsed = parse(address);
    return parsed && (parsed->bits == 32 ? parsed->bytes[0] == 169 && parsed->bytes[1] == 254
                                         : parsed->bytes[0] == 0xfe && (parsed->bytes[1] & 0xc0) == 0x80);
}

bool is_ipv6(const std::string& address) {
    return address.find(':') != std::string::npos;
}

bool is_numeric(const std::string& address) {
    return parse(address).has_value();
}

bool same_subnet(const wire::Interface& interface, const std::string& own, const std::string& other) {
    const auto left = parse(own);
    const auto right = parse(other);
    const auto place = std::find(interface.addresses().begin(), interface.addresses().end(), own);
    const auto index = static_cast<int>(place - interface.addresses().begin());
    if (!left || !right || left->bits != right->bits || index >= interface.prefix_lengths_size()) {
        return false;
    }
    unsigned bits = std::min(interface.prefix_lengths(index), left->bits);
    for (std::size_t i = 0; bits > 0; ++i, bits -= std::min(bits, 8U)) {
        const auto mask = static_cast<unsigned char>(bits >= 8 ? 0xff : 0xff << (8 - bits));
        if ((left->bytes[i] & mask) != (right->bytes[i] & mask)) {
            return false;
        }
    }
    return true;
}

}  // namespace rankscope::inline runs
