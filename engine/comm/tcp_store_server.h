// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/event_loop.h>
#include <base/sealed_session.h>
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
    std::string address{};   ///< numeric and of this machine: listens on it alone; otherwise on all
    std::string token;       ///< empty only where the caller allows it on purpose: it is public
    int world_size = 1;
    std::chrono::milliseconds hello_timeout{5000};
};

/// The store's server: one thread on rank 0. A client must prove the run's token with its first
/// messages, within hello_timeout and kMaxHello bytes; others are closed and named on stderr. Connections that
/// have proven nothing yet are bounded, in all and per address: the oldest one of the address that has most
/// gives way to a new one, so that strangers cannot keep ranks out. A rank whose connection ends without a
/// goodbye, or that gives no sign of life for as long as it promised, is lost, and all who watch are notified,
/// once: this process's own rank last, as it may end as soon as it learns of the loss, and then the others would
/// take rank 0 for the one that was lost.
class TcpStoreServer {
public:
    /// Throws Error when the port cannot be opened.
    explicit TcpStoreServer(const StoreServerOptions& options);
    /// Answers until the last rank has sent goodbye or left, at most two seconds, then closes.
    ~TcpStoreServer();
    TcpStoreServer(const TcpStoreServer&) = delete;
    TcpStoreServer& operator=(const TcpStoreServer&) = delete;

    std::uint16_t port() const { return port_; }
    /// Where this machine reaches it.
    std::string address() const { return reachable_address(listener_); }

private:
    struct Connection {
        Socket socket;
        SealedSession session;
        std::string peer{};  ///< numeric address and port
        std::string host{};  ///< numeric address
        Clock::time_point opened{};
        EventLoop::Watch watch{};
        bool readable = false;
        std::string in{};
        std::string out{};
        int rank = -1;  ///< -1: no valid hello yet
        bool member = false;
        bool polite = false;  ///< bye or fail was received
        bool closing = false;
        // Of a watching connection:
        bool watches = false;                        ///< it has given a sign of life
        std::chrono::milliseconds silence_limit{0};  ///< 0: it may be silent
        AwakeClock::Duration heard{0};               ///< its last sign of life
        bool notified = false;                       ///< of the loss
        /// A watching connection waits for a loss until then; one that has failed, for leave to end.
        std::optional<Clock::time_point> answer_by{};
    };
    struct Waiter {
        int descriptor = -1;
        std::string key;
        Clock::time_point deadline;
    };

    void serve(const std::stop_token& stop);
    bool finished(const std::stop_token& stop);
    double seconds_until_due() const;
    void accept_some();
    void make_room_for(const std::string& host);
    void read_from(Connection& connection);
    void take_frames(Connection& connection);
    void take_frame(Connection& connection, std::string_view bytes);
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
    bool others_are_notified() const;
    void lose(int rank, std::string_view kind, const std::string& reason);

    StoreServerOptions options_;
    TokenKey key_;
    Socket listener_;
    EventLoop loop_;  ///< before what is watched in it
    bool arrivals_ = false;
    std::uint16_t port_ = 0;
    std::map<int, Connection> connections_;
    std::vector<Waiter> waiters_;
    std::map<std::string, std::string> values_;
    std::set<int> members_;
    AwakeClock clock_;
    std::optional<Clock::time_point> stop_deadline_;
    int refusals_ = 0;
    struct Loss {
        int rank = -1;
        std::string note;
        Clock::time_point since;
    };
    std::optional<Loss> loss_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rankscope::engine
