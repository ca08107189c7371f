// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failed_dial.h>
#include <engine/comm/socket.h>
#include <engine/comm/store.h>
#include <engine/comm/store_connection.h>
#include <engine/comm/store_protocol.h>

#include <functional>
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
    /// Called on the connecting thread when the store has not been reached for three seconds, and again when
    /// the reason changes. May be empty.
    std::function<void(const FailedDial&)> unreachable{};
};

/// The store as seen by a rank: one connection, one request at a time. Thread-safe. The token is not sent (see
/// base/token_keys.h, also for what stays in the clear).
class TcpStore final : public Store {
public:
    /// Connects and proves the token; the store does the same. Throws Error saying which address was tried, what
    /// happened and what to look at.
    explicit TcpStore(const StoreClientOptions& options);

    void set(const std::string& key, const std::string& value) override;
    std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) override;
    std::int64_t add(const std::string& key, std::int64_t delta) override;
    std::vector<bool> check(const std::vector<std::string>& keys) override;

    /// Reports to the others that this rank ends with an error.
    void fail(const std::string& reason);
    /// Ends this rank's membership in order.
    void bye();
    /// The connection itself, to be used by other means; no further calls are allowed.
    StoreConnection take_connection() { return *std::exchange(connection_, std::nullopt); }

private:
    enum class Greeted { Yes, TryAgain };

    void connect(const StoreClientOptions& options);
    Greeted greet(Socket socket, const StoreClientOptions& options, IoResult& last);
    Greeted hello(const StoreClientOptions& options, IoResult& last);
    [[noreturn]] void throw_unreachable(const StoreClientOptions& options, const IoResult& last) const;
    IoResult exchange(const store_protocol::Message& request, std::string& body, Clock::time_point deadline);
    store_protocol::Message call(store_protocol::Op op, std::vector<std::string> fields,
                                 Clock::time_point deadline);

    std::string address_;
    std::mutex mutex_;
    std::optional<StoreConnection> connection_;
};

}  // namespace rankscope::engine
