// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// What the kernel answers to one request.
struct NetlinkAnswer {
    int error = 0;                        ///< errno, positive
    std::vector<std::string> messages{};  ///< bodies, without nlmsghdr
};

/// Sends one request (its body without nlmsghdr) and collects the answers, all of them with NLM_F_DUMP in `flags`.
/// `protocol`: NETLINK_ROUTE, NETLINK_NETFILTER, … Needs no rights but those of the request; at most one second.
NetlinkAnswer ask_netlink(int protocol, std::uint16_t type, std::uint16_t flags, std::string_view body);

/// Calls for each attribute (struct nlattr) in the bytes; damaged ones end it. Types come without their flag bits.
void for_each_attribute(std::string_view bytes,
                        const std::function<void(std::uint16_t type, std::string_view value)>& call);

/// Appends an attribute, padded.
void add_attribute(std::string& body, std::uint16_t type, std::string_view value);

/// A number or a struct at the start of the bytes; nothing where they are too few.
template <typename T>
std::optional<T> read_as(std::string_view bytes) {
    if (bytes.size() < sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

template <typename T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace rankscope::agent
