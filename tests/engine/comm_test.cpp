// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/peer_watch.h>
#include <engine/comm/rendezvous.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/error.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

StoreServerOptions server_options(int world) {
    return {.port = 0,
            .address = "127.0.0.1",
            .token = "right-token",
            .world_size = world,
            .hello_timeout = 400ms};
}

StoreClientOptions client_options(const TcpStoreServer& server, int rank, int world) {
    return {.host = "127.0.0.1",
            .port = server.port(),
            .token = "right-token",
            .rank = rank,
            .world_size = world,
            .timeout = 3000ms};
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Store, SetGetAddCheck) {
    TcpStoreServer server(server_options(2));
    TcpStore a(client_options(server, 0, 2));
    TcpStore b(client_options(server, 1, 2));
    a.set("k", std::string("v\0w", 3));
    EXPECT_EQ(b.get("k", 1000ms), std::string("v\0w", 3));
    EXPECT_EQ(a.add("n", 2), 2);
    EXPECT_EQ(b.add("n", -5), -3);
    EXPECT_EQ(a.get("n", 1000ms), "-3");
    EXPECT_EQ(b.check({"k", "none", "n"}), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(a.get("none", 50ms), std::nullopt);
    std::jthread later([&] {
        std::this_thread::sleep_for(50ms);
        b.set("late", "1");
    });
    EXPECT_EQ(a.get("late", 5000ms), "1");
    a.bye();
    b.bye();
}

TEST(Store, WrongTokenIsTurnedAway) {
    TcpStoreServer server(server_options(2));
    StoreClientOptions options = client_options(server, 1, 2);
    for (const char* token : {"wrong-token", "", "right-tokem", "right-token-and-more"}) {
        options.token = token;
        EXPECT_NE(message_of([&] { TcpStore store(options); }).find("RANKSCOPE_TOKEN"), std::string::npos);
    }
    TcpStore honest(client_options(server, 1, 2));
    honest.set("k", "still works");
    honest.bye();
}

TEST(Store, WrongWorldAndTheSameRankTwiceAreExplained) {
    TcpStoreServer server(server_options(2));
    TcpStore first(client_options(server, 1, 2));
    EXPECT_NE(message_of([&] { TcpStore twin(client_options(server, 1, 2)); }).find("same RANK"),
              std::string::npos);
    EXPECT_NE(message_of([&] { TcpStore other(client_options(server, 0, 3)); }).find("WORLD_SIZE=3"),
              std::string::npos);
    first.bye();
}

TEST(Store, HostileClientsNeitherBlockNorBreakIt) {
    TcpStoreServer server(server_options(1));
    std::vector<Socket> strangers(40);
    const auto deadline = Clock::now() + 5s;
    for (std::size_t i = 0; i < strangers.size(); ++i) {
        ASSERT_TRUE(connect_tcp("127.0.0.1", server.port(), deadline, &strangers[i]));
        // Silence, a huge length, a zero length, half a header, HTTP, random bytes, set without hello.
        std::mt19937 random(static_cast<unsigned>(i));
        std::string data;
        switch (i % 7) {
            case 1:
                data = "\xFF\xFF\xFF\xFF";
                break;
            case 2:
                data = std::string(4, '\0');
                break;
            case 3:
                data = std::string(2, '\0');
                break;
            case 4:
                data = "GET / HTTP/1.1\r\n\r\n";
                break;
            case 5:
                std::generate_n(std::back_inserter(data), 3000, [&] { return static_cast<char>(random()); });
                break;
            case 6:
                data = store_protocol::frame(store_protocol::encode({2, {"key", "value"}}));
                break;
            default:
                break;
        }
        send_all(strangers[i], data.data(), data.size(), deadline);
    }
    TcpStore honest(client_options(server, 0, 1));
    const auto begin = Clock::now();
    honest.set("k", "v");
    EXPECT_EQ(honest.get("k", 1000ms), "v");
    EXPECT_EQ(honest.check({"key"}), (std::vector<bool>{false}));
    EXPECT_LT(Clock::now() - begin, 1s);
    // A client without a hello is closed at its deadline, silent ones too.
    std::this_thread::sleep_for(1500ms);
    for (const Socket& stranger : strangers) {
        char byte = 0;
        IoResult result;
        while (result) {  // behind the greeting
            result = receive_all(stranger, &byte, 1, Clock::now() + 10ms);
        }
        EXPECT_EQ(result.status, IoStatus::closed);
    }
    honest.bye();
}

TEST(Store, MalformedFramesAreRefused) {
    EXPECT_FALSE(store_protocol::decode("").has_value());
    EXPECT_FALSE(store_protocol::decode(std::string("\x02\0\0\0\x09short", 10)).has_value());
    EXPECT_FALSE(store_protocol::decode(std::string("\x02\0\0", 3)).has_value());
    const auto message = store_protocol::decode(store_protocol::encode({3, {"a", ""}}));
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->fields, (std::vector<std::string>{"a", ""}));
}

TEST(Store, PortInUseSaysWhatToDo) {
    TcpStoreServer server(server_options(1));
    StoreServerOptions options = server_options(1);
    options.port = server.port();
    EXPECT_NE(message_of([&] { TcpStoreServer second(options); }).find("in use"), std::string::npos);
}

TEST(Store, AMissingServerIsExplainedInTime) {
    const auto begin = Clock::now();
    StoreClientOptions options{
        .host = "127.0.0.1", .port = 1, .token = "t", .rank = 1, .world_size = 2, .timeout = 300ms};
    const std::string message = message_of([&] { TcpStore store(options); });
    EXPECT_NE(message.find("rank 0 at 127.0.0.1:1 does not answer"), std::string::npos) << message;
    EXPECT_NE(message.find("refused"), std::string::npos) << message;
    EXPECT_LT(Clock::now() - begin, 3s);
}

TEST(PeerWatch, NamesTheRankThatWentAwayAndItsReason) {
    TcpStoreServer server(server_options(3));
    std::promise<PeerLoss> by_close;
    TcpStore survivor(client_options(server, 0, 3));
    PeerWatch watch(client_options(server, 0, 3), {},
                    [&](const PeerLoss& loss) { by_close.set_value(loss); });
    { TcpStore lost(client_options(server, 2, 3)); }
    auto loss = by_close.get_future();
    ASSERT_EQ(loss.wait_for(2s), std::future_status::ready);
    EXPECT_EQ(loss.get().rank, 2);
    watch.stop();
    survivor.bye();
}

TEST(PeerWatch, AFailureIsReportedWithItsReasonAndAGoodbyeIsNone) {
    TcpStoreServer server(server_options(3));
    std::promise<PeerLoss> reported;
    TcpStore survivor(client_options(server, 0, 3));
    PeerWatch watch(client_options(server, 0, 3), {},
                    [&](const PeerLoss& loss) { reported.set_value(loss); });
    {
        TcpStore polite(client_options(server, 1, 3));
        polite.bye();
    }
    auto loss = reported.get_future();
    EXPECT_EQ(loss.wait_for(200ms), std::future_status::timeout);
    TcpStore failing(client_options(server, 2, 3));
    failing.fail("out of paper");
    ASSERT_EQ(loss.wait_for(2s), std::future_status::ready);
    const PeerLoss known = loss.get();
    EXPECT_EQ(known.rank, 2);
    EXPECT_EQ(known.reason, "out of paper");
    watch.stop();
    survivor.bye();
}

TEST(PeerWatch, TheStoreGoingAwayIsRankZeroGone) {
    auto server = std::make_unique<TcpStoreServer>(server_options(2));
    std::promise<PeerLoss> reported;
    auto survivor = std::make_unique<TcpStore>(client_options(*server, 1, 2));
    PeerWatch watch(client_options(*server, 1, 2), {},
                    [&](const PeerLoss& loss) { reported.set_value(loss); });
    survivor->bye();
    server.reset();
    auto loss = reported.get_future();
    ASSERT_EQ(loss.wait_for(2s), std::future_status::ready);
    EXPECT_EQ(loss.get().rank, 0);
}

TEST(Rendezvous, NamesTheMissingRanks) {
    std::uint16_t port = 0;
    {
        const Socket probe = listen_tcp(0, "127.0.0.1");
        port = local_port(probe);
    }
    RendezvousOptions options;
    options.env = {.rank = 0,
                   .world_size = 4,
                   .local_world_size = 4,
                   .master_addr = "127.0.0.1",
                   .master_port = port,
                   .token = "t",
                   .socket_interface = ""};
    options.timeout = 400ms;
    options.peer_lost = [](const PeerLoss&) {};
    std::vector<int> last;
    options.progress = [&](const RendezvousProgress& progress) { last = progress.missing; };
    const std::string message = message_of([&] { Rendezvous alone(options); });
    EXPECT_NE(message.find("rank 1–3 of 4 did not come"), std::string::npos) << message;
    EXPECT_NE(message.find("127.0.0.1:" + std::to_string(port)), std::string::npos) << message;
    EXPECT_EQ(last, (std::vector<int>{1, 2, 3}));
    options.env.token.clear();
    EXPECT_NE(message_of([&] { Rendezvous open(options); }).find("RANKSCOPE_TOKEN is not set"),
              std::string::npos);
}

}  // namespace
}  // namespace rankscope::engine::test
