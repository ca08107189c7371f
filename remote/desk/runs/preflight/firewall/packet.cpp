// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <arpa/inet.h>

namespace rankscope::inline runs {

std::optional<IpAddress> parse_ip(std::string_view text) {
    if (text.size() > 64) {
        return std::nullopt;
    }
    const std::string plain(text.substr(0, text.find('%')));
    IpAddress address;
    address.v6 = plain.find(':') != std::string::npos;
    if (inet_pton(address.v6 ? AF_INET6 : AF_INET, plain.c_str(), address.bytes.data()) != 1) {
        return std::nullopt;
    }
    return address;
}

IpAddress masked(const IpAddress& address, const IpAddress& mask) {
    IpAddress result = address;
    for (std::size_t i = 0; i < result.bytes.size(); ++i) {
        result.bytes[i] = static_cast<unsigned char>(result.bytes[i] & mask.bytes[i]);
    }
    return result;
}

std::optional<IpAddress> prefix_mask(bool v6, int bits) {
    if (bits < 0 || bits > (v6 ? 128 : 32)) {
        return std::nullopt;
    }
    IpAddress mask;
    mask.v6 = v6;
    for (int bit = 0; bit < bits; ++bit) {
        auto& byte = mask.bytes[static_cast<std::size_t>(bit / 8)];
        byte = static_cast<unsigned char>(byte | (0x80U >> (bit % 8)));
    }
    return mask;
}

bool AddressRange::contains(const IpAddress& address) const {
    if (address.v6 != first.v6) {
        return false;
    }
    return by_mask ? masked(address, mask) == masked(first, mask)
                   : first.bytes <= address.bytes && address.bytes <= last.bytes;
}

std::optional<AddressRange> parse_address_range(std::string_view text) {
    AddressRange range;
    const auto slash = text.find('/');
    const auto dash = text.find('-');
    const auto first = parse_ip(text.substr(0, std::min(slash, dash)));
    if (!first) {
        return std::nullopt;
    }
    range.first = *first;
    range.last = *first;
    if (slash != std::string_view::npos) {
        const auto tail = text.substr(slash + 1);
        const auto bits = parse_number<int>(tail);
        const auto mask = bits ? prefix_mask(first->v6, *bits) : parse_ip(tail);
        if (!mask || mask->v6 != first->v6) {
            return std::nullopt;
        }
        range.mask = *mask;
        range.by_mask = true;
    } else if (dash != std::string_view::npos) {
        const auto last = parse_ip(text.substr(dash + 1));
        if (!last || last->v6 != first->v6) {
            return std::nullopt;
        }
        range.last = *last;
    }
    return range;
}

std::optional<Packet> packet_of(const FirewallFlow& flow) {
    Packet packet;
    packet.from = parse_ip(flow.from);
    packet.to = parse_ip(flow.to);
    if (flow.port < 1 || flow.port > 65535 || (!packet.from && !packet.to)) {
        return std::nullopt;
    }
    if (packet.from && packet.to && packet.from->v6 != packet.to->v6) {
        return std::nullopt;
    }
    packet.v6 = packet.from ? packet.from->v6 : packet.to->v6;
    packet.interface_name = flow.interface_name;
    packet.port = flow.port;
    packet.outgoing = flow.outgoing;
    return packet;
}

}  // namespace rankscope::inline runs
