// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/socket.h>
#include <engine/comm/store.h>
#include <engine/comm/store_protocol.h>

#include <mutex>
#include <string>
#include <utility>

namespace rankscope::engine {

struct StoreClientOptions {
    std::string host;
    std::uint16_t port = 0;
    std::string token;
    int rank = 0;
    int world_size = 1;
    bool watch = false;  ///< a second connection of this rank, which only waits; its end is no loss
    std::chrono::milliseconds timeout{120000};  ///< for connecting, with retries
};

/// The store as seen by a rank: one connection, one request at a time. Thread-safe.
class TcpStore final : public Store {
public:
    /// Connects and shows the token. Throws Error saying which address was tried, what happened and what to
    /// look at.
    explicit TcpStore(const StoreClientOptions& options);

    void set(const std::string& key, const std::string& value) override;
    std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override;
    std::int64_t add(const std::string& key, std::int64_t delta) override;
    std::vector<bool> check(const std::vector<std::string>& keys) override;

    /// Tells the others that this rank ends with an error.
    void fail(const std::string& reason);
    /// Ends this rank's membership in order.
    void bye();
    /// The connection itself, to go on by other means; no further calls are allowed.
    Socket take_socket() { return std::move(socket_); }

private:
    void connect(const StoreClientOptions& options);
    void hello(const StoreClientOptions& options);
    store_protocol::Message call(store_protocol::Op op, std::vector<std::string> fields,
                                 Clock::time_point deadline);

    std::string address_;
    std::mutex mutex_;
    Socket socket_;
};

}  // namespace rankscope::engine
