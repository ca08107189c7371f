// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/awake_clock.h>
#include <engine/comm/socket.h>
#include <engine/comm/store_protocol.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rankscope::engine {

struct StoreServerOptions {
    std::uint16_t port = 0;  ///< 0: any free one
    bool loopback_only = false;
    std::string token;  ///< empty: no token is demanded (allowed by the caller on purpose only)
    int world_size = 1;
    std::chrono::milliseconds hello_timeout{5000};
};

/// The store's server: one thread on rank 0. Whoever connects must show the run's token in its first message,
/// within hello_timeout and kMaxHello bytes; others are closed and named on stderr. A rank whose connection
/// ends without a goodbye, or that gives no sign of life for as long as it promised, is lost, and all who
/// watch are told, once: this process's own rank last, as it may end as soon as it learns of the loss, and
/// then the others would take rank 0 for the one that was lost.
class TcpStoreServer {
public:
    /// Throws Error when the port cannot be opened.
    explicit TcpStoreServer(const StoreServerOptions& options);
    /// Answers until the last rank has said goodbye or left, at most two seconds, then closes.
    ~TcpStoreServer();
    TcpStoreServer(const TcpStoreServer&) = delete;
    TcpStoreServer& operator=(const TcpStoreServer&) = delete;

    std::uint16_t port() const { return port_; }

private:
    struct Connection {
        Socket socket;
        std::string peer;
        Clock::time_point opened;
        std::string in;
        std::string out;
        int rank = -1;  ///< -1: no valid hello yet
        bool member = false;
        bool polite = false;  ///< bye or fail was said
        bool closing = false;
        // Of a watching connection:
        bool watches = false;                        ///< it has given a sign of life
        std::chrono::milliseconds silence_limit{0};  ///< 0: it may be silent
        AwakeClock::Duration heard{0};               ///< its last sign of life
        bool told = false;                           ///< of the loss
        /// A watching connection waits for a loss until then; one that has failed, for leave to end.
        std::optional<Clock::time_point> answer_by;
    };
    struct Waiter {
        int descriptor = -1;
        std::string key;
        Clock::time_point deadline;
    };

    void serve(const std::stop_token& stop);
    bool finished(const std::stop_token& stop);
    int poll_timeout_ms() const;
    void accept_all();
    void read_from(Connection& connection);
    void take_frames(Connection& connection);
    void write_to(Connection& connection);
    void handle(Connection& connection, const store_protocol::Message& request);
    void hello(Connection& connection, const store_protocol::Message& request);
    void get(Connection& connection, const std::vector<std::string>& fields);
    void reply(Connection& connection, store_protocol::Status status, std::vector<std::string> fields = {});
    void refuse(Connection& connection, const std::string& why);
    void store(const std::string& key, const std::string& value);
    void expire();
    void drop_closed();
    void beat(Connection& connection, const std::vector<std::string>& fields);
    void find_silent();
    void answer_watches();
    bool others_are_told() const;
    void lose(int rank, std::string_view kind, const std::string& reason);

    StoreServerOptions options_;
    Socket listener_;
    Socket wake_;
    std::uint16_t port_ = 0;
    std::map<int, Connection> connections_;
    std::vector<Waiter> waiters_;
    std::map<std::string, std::string> values_;
    std::set<int> members_;
    AwakeClock clock_;
    std::optional<Clock::time_point> stop_deadline_;
    struct Loss {
        int rank = -1;
        std::string note;
        Clock::time_point since;
    };
    std::optional<Loss> loss_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rankscope::engine
