// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Who can read the nodes' network, and who can connect to the store's port: what they learn and what they can do.

#include <engine/comm/rendezvous.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

const std::string kToken(64, 'q');

StoreServerOptions attacked_server(int world) {
    return {.port = 0, .address = "127.0.0.1", .token = kToken, .world_size = world, .hello_timeout = 2000ms};
}

StoreClientOptions attacked_client(std::uint16_t port, int rank, int world) {
    return {.host = "127.0.0.1",
            .port = port,
            .token = kToken,
            .rank = rank,
            .world_size = world,
            .timeout = 10000ms};
}

/// Sits between ranks and store, passes everything on, and keeps what each side sends.
class Eavesdropper {
public:
    explicit Eavesdropper(std::uint16_t store)
        : listener_(listen_tcp(0, "127.0.0.1")), thread_([this, store](const std::stop_token& stop) {
              while (!stop.stop_requested()) {
                  serve(store, stop);
              }
          }) {}

    std::uint16_t port() const { return local_port(listener_); }
    std::string sent_by_ranks() {
        const std::lock_guard lock(mutex_);
        return by_ranks_;
    }
    std::string sent_by_store() {
        const std::lock_guard lock(mutex_);
        return by_store_;
    }

private:
    void serve(std::uint16_t store, const std::stop_token& stop) {
        pollfd entry{listener_.fd(), POLLIN, 0};
        poll(&entry, 1, 20);
        const Socket rank(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
        Socket server;
        if (!rank || !connect_tcp("127.0.0.1", store, Clock::now() + 5s, &server)) {
            return;
        }
        while (!stop.stop_requested()) {
            pollfd both[] = {{rank.fd(), POLLIN, 0}, {server.fd(), POLLIN, 0}};
            poll(both, 2, 20);
            if ((both[0].revents != 0 && !pass(rank, server, by_ranks_)) ||
                (both[1].revents != 0 && !pass(server, rank, by_store_))) {
                return;
            }
        }
    }
    bool pass(const Socket& from, const Socket& to, std::string& kept) {
        char bytes[4096];
        const ssize_t got = recv(from.fd(), bytes, sizeof bytes, MSG_DONTWAIT);
        if (got <= 0) {
            return got < 0 && errno == EAGAIN;
        }
        const std::lock_guard lock(mutex_);
        kept.append(bytes, static_cast<std::size_t>(got));
        return bool(send_all(to, bytes, static_cast<std::size_t>(got), Clock::now() + 5s));
    }

    Socket listener_;
    std::mutex mutex_;
    std::string by_ranks_;
    std::string by_store_;
    std::jthread thread_;
};

/// Sends the bytes to the store; returns what it answers until it closes the connection.
std::string try_on(std::uint16_t port, const std::string& bytes) {
    Socket socket;
    EXPECT_TRUE(connect_tcp("127.0.0.1", port, Clock::now() + 5s, &socket));
    send_all(socket, bytes.data(), bytes.size(), Clock::now() + 5s);
    std::string answer;
    for (char byte = 0; receive_all(socket, &byte, 1, Clock::now() + 5s);) {
        answer += byte;
    }
    return answer;
}

TEST(StoreAttack, AListenerLearnsNeitherTheTokenNorTheValues) {
    TcpStoreServer server(attacked_server(2));
    Eavesdropper wire(server.port());
    const std::string secret = "the value that is set";
    {
        TcpStore rank(attacked_client(wire.port(), 1, 2));
        rank.set("a-key-of-the-run", secret);
        EXPECT_EQ(rank.get("a-key-of-the-run", 1000ms), secret);
        rank.bye();
    }
    const std::string all = wire.sent_by_ranks() + wire.sent_by_store();
    ASSERT_GT(all.size(), 200U);
    for (const std::string& text : {kToken, secret, std::string("a-key-of-the-run")}) {
        EXPECT_EQ(all.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(all.find(kToken.substr(0, 8)), std::string::npos);
}

TEST(StoreAttack, WhatWasHeardOpensNothing) {
    TcpStoreServer server(attacked_server(2));
    Eavesdropper wire(server.port());
    std::promise<PeerLoss> lost;
    TcpStore watched(attacked_client(server.port(), 0, 2));
    PeerWatch watch(attacked_client(server.port(), 0, 2), {},
                    [&lost](const PeerLoss& loss) { lost.set_value(loss); });
    {
        TcpStore rank(attacked_client(wire.port(), 1, 2));
        rank.set("k", "1");
        rank.bye();
    }
    const std::string heard = wire.sent_by_ranks();
    const std::size_t greeting = 4 + store_protocol::kMagic.size() + SealedSession::kNonceBytes;
    // The whole conversation again; another greeting in front of the old hello; the store's own words sent back;
    // a message of our own under the old greeting.
    std::string fresh = heard;
    fresh[greeting - 1] = static_cast<char>(fresh[greeting - 1] ^ 1);
    const std::string forged =
        heard.substr(0, greeting) +
        store_protocol::frame(store_protocol::encode(
            {static_cast<std::uint8_t>(store_protocol::Op::fail), {"ended by a stranger"}}));
    for (const std::string& bytes : {heard, fresh, wire.sent_by_store(), forged}) {
        const std::string answer = try_on(server.port(), bytes);
        // The store's greeting, and at most its refusal: nothing sealed.
        const std::size_t most = greeting + 4 + store_protocol::kRefusal.size();
        EXPECT_LE(answer.size(), most);
    }
    auto loss = lost.get_future();
    EXPECT_EQ(loss.wait_for(300ms), std::future_status::timeout) << "a stranger ended the run";
    EXPECT_EQ(watched.get("k", 1000ms), "1");
    watch.stop();
    watched.bye();
}

TEST(StoreAttack, AFalseStoreIsNotBelieved) {
    // Speaks the protocol without the token: it answers "ok" to every client.
    const Socket listener = listen_tcp(0, "127.0.0.1");
    std::jthread false_store([&](const std::stop_token& stop) {
        Socket peer;
        while (!peer && !stop.stop_requested()) {
            std::this_thread::sleep_for(5ms);
            peer = Socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
        }
        SealedSession session(derive_key("a guess", TokenUse::EngineStore), SealedSession::Side::Listener);
        std::string bytes = store_protocol::frame(std::string(store_protocol::kMagic) + session.own_nonce());
        send_all(peer, bytes.data(), bytes.size(), Clock::now() + 5s);
        std::string greeting(4 + store_protocol::kMagic.size() + SealedSession::kNonceBytes, '\0');
        receive_all(peer, greeting.data(), greeting.size(), Clock::now() + 5s);
        session.begin(std::string_view(greeting).substr(4 + store_protocol::kMagic.size()), "");
        bytes = store_protocol::frame(session.seal(store_protocol::encode({0, {}})));
        send_all(peer, bytes.data(), bytes.size(), Clock::now() + 5s);
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(5ms);
        }
    });
    try {
        TcpStore rank(attacked_client(local_port(listener), 1, 2));
        FAIL() << "believed";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("does not have this run's RANKSCOPE_TOKEN"),
                  std::string::npos)
            << error.what();
    }
}

TEST(StoreAttack, TwoHundredSilentConnectionsDoNotStopAStart) {
    const std::uint16_t port = local_port(listen_tcp(0, "127.0.0.1"));
    constexpr int kWorld = 4;
    std::atomic<int> met{0};
    const auto rank = [&](int index) {
        RendezvousOptions options;
        options.env = {.rank = index,
                       .world_size = kWorld,
                       .local_world_size = kWorld,
                       .master_addr = "127.0.0.1",
                       .master_port = port,
                       .token = kToken,
                       .socket_interface = ""};
        options.timeout = 60s;
        options.peer_lost = [](const PeerLoss&) {};
        options.progress = [](const RendezvousProgress&) {};
        Rendezvous rendezvous(options);
        ++met;
        rendezvous.leave();
    };
    std::vector<std::jthread> ranks;
    ranks.emplace_back(rank, 0);
    std::vector<Socket> silent(200);
    for (Socket& one : silent) {
        while (!connect_tcp("127.0.0.1", port, Clock::now() + 5s, &one)) {
            std::this_thread::sleep_for(10ms);
        }
    }
    for (int index = 1; index < kWorld; ++index) {
        ranks.emplace_back(rank, index);
    }
    ranks.clear();
    EXPECT_EQ(met, kWorld);
}

TEST(StoreAttack, TheStoreListensOnTheMastersAddressAlone) {
    const TcpStoreServer server(attacked_server(1));
    Socket other;  // 127.0.0.2 is this machine as well
    EXPECT_FALSE(connect_tcp("127.0.0.2", server.port(), Clock::now() + 1s, &other));
    const TcpStoreServer open({.address = "node1.example", .token = kToken});
    EXPECT_TRUE(connect_tcp("127.0.0.2", open.port(), Clock::now() + 1s, &other)) << "a name: all addresses";
}

TEST(Rendezvous, TheReasonOfARankThatCannotConnectReachesTheOthers) {
    const std::uint16_t port = local_port(listen_tcp(0, "127.0.0.1"));
    std::promise<PeerLoss> reported;
    std::vector<std::jthread> ranks;
    for (int index = 0; index < 2; ++index) {
        ranks.emplace_back([&, index] {
            RendezvousOptions options;
            options.env = {.rank = index,
                           .world_size = 2,
                           .local_world_size = 1,
                           .master_addr = "127.0.0.1",
                           .master_port = port,
                           .token = kToken,
                           .socket_interface = index == 1 ? "no-such-device" : "",
                           .transport = Transport::gloo};
            options.timeout = 4s;
            options.peer_lost = [&reported, index](const PeerLoss& loss) {
                if (index == 0) {
                    reported.set_value(loss);
                }
            };
            options.progress = [](const RendezvousProgress&) {};
            EXPECT_THROW(Rendezvous rendezvous(options), Error);
        });
    }
    auto loss = reported.get_future();
    ASSERT_EQ(loss.wait_for(15s), std::future_status::ready);
    const PeerLoss known = loss.get();
    EXPECT_EQ(known.rank, 1);
    EXPECT_NE(known.reason.find("no-such-device"), std::string::npos) << known.reason;
}

}  // namespace
}  // namespace rankscope::engine::test
