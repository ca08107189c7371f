// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/store_protocol.h>

namespace rankscope::engine::store_protocol {
namespace {

void append_length(std::string& out, std::size_t length) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        out.push_back(static_cast<char>((length >> shift) & 0xFFU));
    }
}

}  // namespace

std::string state_key(int rank) {
    return "rankscope/state/" + std::to_string(rank);
}

std::uint32_t read_length(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U |
           std::uint32_t{bytes[3]};
}

std::string frame(std::string_view bytes) {
    std::string framed;
    append_length(framed, bytes.size());
    framed += bytes;
    return framed;
}

std::string encode(const Message& message) {
    std::string body(1, static_cast<char>(message.kind));
    for (const std::string& field : message.fields) {
        append_length(body, field.size());
        body += field;
    }
    return body;
}

std::optional<Message> decode(std::string_view body) {
    if (body.empty()) {
        return std::nullopt;
    }
    Message message;
    message.kind = static_cast<std::uint8_t>(body[0]);
    body.remove_prefix(1);
    while (!body.empty()) {
        if (body.size() < 4) {
            return std::nullopt;
        }
        const std::size_t length =
            read_length(static_cast<const unsigned char*>(static_cast<const void*>(body.data())));
        body.remove_prefix(4);
        if (length > body.size()) {
            return std::nullopt;
        }
        message.fields.emplace_back(body.substr(0, length));
        body.remove_prefix(length);
    }
    return message;
}

}  // namespace rankscope::engine::store_protocol
