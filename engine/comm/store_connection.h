// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/sealed_session.h>
#include <engine/comm/socket.h>
#include <engine/comm/store_protocol.h>

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::engine {

/// A rank's end of one connection to the store, authenticated in both directions. Used by one thread at a time.
class StoreConnection {
public:
    StoreConnection(Socket socket, SealedSession session)
        : socket_(std::move(socket)), session_(std::move(session)) {}

    const Socket& socket() const { return socket_; }
    /// The message as a sealed frame, to be sent in the order of these calls.
    std::string frame(const store_protocol::Message& message) {
        return store_protocol::frame(session_.seal(store_protocol::encode(message)));
    }
    /// Of the bytes of a frame, without their length. Nothing: they do not come from the store of this run.
    std::optional<store_protocol::Message> open(std::string_view sealed) {
        const auto body = session_.open(sealed);
        return body ? store_protocol::decode(*body) : std::nullopt;
    }

private:
    Socket socket_;
    SealedSession session_;
};

}  // namespace rankscope::engine
