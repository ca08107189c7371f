// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Ranks that fall silent, or that others wait for in vain. Whole processes that are killed, stopped and cut
// off: worker_test.cpp.

#include <engine/comm/out_of_step.h>
#include <engine/comm/peer_watch.h>
#include <engine/comm/rendezvous.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <latch>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

// What is made of the ranks' states.

GroupState state(std::uint64_t sequence, CollectiveKind operation, std::uint64_t bytes, bool running) {
    return {sequence, operation, bytes, running};
}

const GroupState kMine = state(217, CollectiveKind::all_reduce, 1200000, true);
const GroupState kBefore = state(216, CollectiveKind::broadcast, 4, false);

TEST(FindMissing, NamesTheRankThatHasNotStarted) {
    const std::map<int, RankState> states{
        {0, {{"world", kMine}}}, {1, {{"world", kMine}}}, {2, {{"world", kMine}}}, {3, {{"world", kBefore}}}};
    const Missing missing = find_missing("world", {0, 1, 2, 3}, kMine, states, 10s);
    EXPECT_EQ(missing.rank, 3);
    EXPECT_EQ(
        missing.sentence,
        "rank 3 has not started all_reduce #217 (1.2 MB) that rank 0–2 have waited in for 10.0 s; rank 3 has "
        "finished broadcast #216 (4 B) and computes, or hangs");
}

TEST(FindMissing, NamesSeveralAndThoseOfWhomNothingIsKnown) {
    const std::map<int, RankState> states{{4, {{"world/1.0", kMine}, {"world", kBefore}}}, {8, {}}};
    const Missing missing = find_missing("world/1.0", {4, 6, 8}, kMine, states, 1.5s);
    EXPECT_EQ(missing.rank, 6);
    EXPECT_EQ(missing.sentence,
              "rank 6, 8 have not started all_reduce #217 (1.2 MB) of group world/1.0 that rank 4 has waited "
              "in for "
              "1.5 s; nothing is known of rank 6");
}

TEST(FindMissing, SaysWhereElseTheRankIs) {
    const GroupState other = state(5, CollectiveKind::all_reduce, 8, true);
    const std::map<int, RankState> states{{0, {{"world", kMine}}}, {1, {{"world", kBefore}, {"x", other}}}};
    const Missing missing = find_missing("world", {0, 1}, kMine, states, 10s);
    EXPECT_EQ(missing.rank, 1);
    EXPECT_NE(missing.sentence.find("rank 1 is in all_reduce #5 (8 B) of group x"), std::string::npos)
        << missing.sentence;
    const std::map<int, RankState> wrong{{0, {{"world", kMine}}},
                                         {1, {{"world", state(217, CollectiveKind::barrier, 0, true)}}}};
    const Missing confused = find_missing("world", {0, 1}, kMine, wrong, 10s);
    EXPECT_TRUE(missing.waits);
    EXPECT_EQ(confused.rank, 1);
    EXPECT_FALSE(confused.waits);
    EXPECT_NE(confused.sentence.find("rank 1 is out of step with all_reduce #217"), std::string::npos);
    EXPECT_NE(confused.sentence.find("rank 1 is in barrier #217"), std::string::npos) << confused.sentence;
}

TEST(FindMissing, ASenderAndAReceiverAreInTheSameOperation) {
    const GroupState receiving = state(7, CollectiveKind::receive, 4096, true);
    const std::map<int, RankState> both{{2, {{"world/3.2", receiving}}},
                                        {4, {{"world/3.2", state(7, CollectiveKind::send, 4096, true)}}}};
    EXPECT_EQ(find_missing("world/3.2", {2, 4}, receiving, both, 10s).rank, -1);
    const std::map<int, RankState> computing{
        {2, {{"world/3.2", receiving}}}, {4, {{"world/3.2", state(6, CollectiveKind::send, 4096, false)}}}};
    const Missing missing = find_missing("world/3.2", {2, 4}, receiving, computing, 10s);
    EXPECT_EQ(missing.rank, 4);
    EXPECT_FALSE(missing.waits);
    EXPECT_NE(missing.sentence.find(
                  "rank 4 has not started receive #7 (4.1 kB) of group world/3.2 that rank 2 has "
                  "waited in for 10.0 s; rank 4 has finished send #6 (4.1 kB) and computes, or hangs"),
              std::string::npos)
        << missing.sentence;
}

TEST(FindMissing, NoRankIsMissingWhereTheNetworkStalls) {
    const std::map<int, RankState> states{{0, {{"world", kMine}}}, {1, {{"world", kMine}}}};
    const Missing missing = find_missing("world", {0, 1}, kMine, states, 600s);
    EXPECT_EQ(missing.rank, -1);
    EXPECT_NE(missing.sentence.find("all_reduce #217 (1.2 MB) has not ended within 600.0 s"),
              std::string::npos);
}

TEST(RankState, SurvivesItsTextAndNothingElseIsTaken) {
    const RankState state{{"world", kMine}, {"world/1.0", kBefore}};
    EXPECT_EQ(parse_rank_state(to_text(state)), state);
    EXPECT_EQ(parse_rank_state(to_text({})), RankState{});
    for (const char* text : {"", "[]", "{", "{\"world\": 3}", "{\"world\": {\"seq\": 1}}",
                             R"({"w": {"seq": -1, "op": "barrier", "bytes": 0, "running": true}})",
                             R"({"w": {"seq": 1, "op": "dance", "bytes": 0, "running": true}})",
                             R"({"w": {"seq": 1, "op": "barrier", "bytes": 0, "running": 1}})"}) {
        EXPECT_EQ(parse_rank_state(text), std::nullopt) << text;
    }
}

TEST(AwakeClock, DoesNotCountThePausesOfItsOwnProcess) {
    AwakeClock clock(20ms);
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(clock.tick(), 20ms);
    EXPECT_LE(clock.tick(), 40ms);
}

// Silence.

StoreClientOptions client(std::uint16_t port, int rank, int world) {
    return {.host = "127.0.0.1",
            .port = port,
            .token = "t",
            .rank = rank,
            .world_size = world,
            .timeout = 20000ms};
}

StoreServerOptions server_of(int world) {
    return {.port = 0, .address = "127.0.0.1", .token = "t", .world_size = world};
}

class Losses {
public:
    std::function<void(const PeerLoss&)> taker() {
        return [this](const PeerLoss& loss) { promise_.set_value(loss); };
    }
    bool within(std::chrono::milliseconds time) {
        return future_.wait_for(time) == std::future_status::ready;
    }
    PeerLoss get() { return future_.get(); }

private:
    std::promise<PeerLoss> promise_;
    std::future<PeerLoss> future_ = promise_.get_future();
};

TEST(PeerWatch, ASilentRankIsLostWithinItsLimit) {
    TcpStoreServer server(server_of(2));
    Losses losses;
    const PeerWatch watch(client(server.port(), 0, 2), {.silence_limit = 2000ms}, losses.taker());
    // One sign of life, then nothing: what a stopped process looks like.
    StoreClientOptions options = client(server.port(), 1, 2);
    options.watch = true;
    StoreConnection silent = TcpStore(options).take_connection();
    const std::string beat =
        silent.frame({static_cast<std::uint8_t>(store_protocol::Op::beat), {"{}", "400", "100"}});
    ASSERT_TRUE(send_all(silent.socket(), beat.data(), beat.size(), Clock::now() + 1s));
    const auto begin = Clock::now();
    ASSERT_TRUE(losses.within(20s));
    EXPECT_GT(Clock::now() - begin, 300ms);
    const PeerLoss loss = losses.get();
    EXPECT_EQ(loss.rank, 1);
    EXPECT_NE(loss.text(0).find("rank 1 is gone: no sign of life for 0."), std::string::npos) << loss.text(0);
}

TEST(PeerWatch, ARankThatBeatsIsNotSilentAndAnotherMayBeAllowedTo) {
    TcpStoreServer server(server_of(3));
    Losses losses;
    PeerWatch first(client(server.port(), 0, 3), {.silence_limit = 1500ms}, losses.taker());
    PeerWatch second(client(server.port(), 1, 3), {.silence_limit = 1500ms}, losses.taker());
    StoreClientOptions options = client(server.port(), 2, 3);
    options.watch = true;
    StoreConnection silent = TcpStore(options).take_connection();
    const std::string beat =
        silent.frame({static_cast<std::uint8_t>(store_protocol::Op::beat), {"{}", "0", "100"}});
    ASSERT_TRUE(send_all(silent.socket(), beat.data(), beat.size(), Clock::now() + 1s));
    EXPECT_FALSE(losses.within(2500ms));
    first.stop();
    second.stop();
}

TEST(PeerWatch, AStoreThatDoesNotAnswerIsRankZeroGone) {
    // Accepts and welcomes, then sends nothing more.
    const Socket listener = listen_tcp(0, "127.0.0.1");
    std::jthread half_dead([&](const std::stop_token& stop) {
        Socket peer;
        while (!peer && !stop.stop_requested()) {
            std::this_thread::sleep_for(5ms);
            peer = Socket(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
        }
        SealedSession session(derive_key("t", TokenUse::EngineStore), SealedSession::Side::Listener);
        const auto put = [&](const std::string& bytes) {
            const std::string frame = store_protocol::frame(bytes);
            return bool(send_all(peer, frame.data(), frame.size(), Clock::now() + 5s));
        };
        put(std::string(store_protocol::kMagic) + session.own_nonce());
        std::string greeting(4 + store_protocol::kMagic.size() + SealedSession::kNonceBytes, '\0');
        receive_all(peer, greeting.data(), greeting.size(), Clock::now() + 5s);
        session.begin(std::string_view(greeting).substr(4 + store_protocol::kMagic.size()), "");
        put(session.seal(store_protocol::encode({0, {}})));
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(5ms);
        }
    });
    Losses losses;
    const PeerWatch watch(client(local_port(listener), 1, 2), {.silence_limit = 400ms}, losses.taker());
    ASSERT_TRUE(losses.within(20s));
    const PeerLoss loss = losses.get();
    EXPECT_EQ(loss.rank, 0);
    EXPECT_NE(loss.reason.find("has not answered for"), std::string::npos) << loss.reason;
}

// Operations that wait in a device's queue.

TEST(GroupRecord, QueuedOperationsRunOneAfterTheOther) {
    GroupRecord record("nccl", {0, 1}, [](const std::string&) {});
    std::array<bool, 3> ended{};
    for (const bool& one : ended) {
        record.start_queued(CollectiveKind::step, 1000, [&one] { return one; });
    }
    EXPECT_EQ(record.state(), state(1, CollectiveKind::step, 1000, true));
    ended[0] = true;
    EXPECT_EQ(record.state(), state(2, CollectiveKind::step, 1000, true));
    ended[1] = ended[2] = true;
    EXPECT_EQ(record.state(), state(3, CollectiveKind::step, 1000, false));
    // Those of the host are numbered in the order in which they are started, whatever has ended.
    record.start_queued(CollectiveKind::step, 1000, [] { return false; });
    record.start_queued(CollectiveKind::step, 1000, [] { return false; });
    record.start(CollectiveKind::barrier, 0);
    EXPECT_EQ(record.state(), state(6, CollectiveKind::barrier, 0, true));
    record.finish();
    EXPECT_EQ(record.state(), state(6, CollectiveKind::barrier, 0, false));
}

// Rank 1 lives, has done its part of step 1 and hangs before step 2; rank 0 has two steps in its GPU's queue.
TEST(PeerWatch, ARankThatDoesNotComeToAStepIsNamed) {
    TcpStoreServer server(server_of(2));
    std::array<Losses, 2> losses;
    std::array<std::shared_ptr<FlightRecorder>, 2> recorders;
    std::vector<std::unique_ptr<PeerWatch>> watches;
    std::vector<std::shared_ptr<GroupRecord>> records;
    std::promise<std::string> aborted;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        recorders[rank] = std::make_shared<FlightRecorder>();
        records.push_back(recorders[rank]->add("nccl", {0, 1}, [&aborted, rank](const std::string& why) {
            if (rank == 0) {
                aborted.set_value(why);
            }
        }));
        records[rank]->start_queued(CollectiveKind::step, 44700000, [] { return true; });
    }
    records[0]->start_queued(CollectiveKind::step, 44700000, [] { return false; });
    records[0]->start_queued(CollectiveKind::step, 44700000, [] { return false; });
    for (std::size_t rank = 0; rank < 2; ++rank) {
        watches.push_back(std::make_unique<PeerWatch>(
            client(server.port(), static_cast<int>(rank), 2),
            PeerWatchOptions{.silence_limit = 0ms, .collective_timeout = 300ms, .recorder = recorders[rank]},
            losses[rank].taker()));
    }
    for (Losses& one : losses) {
        ASSERT_TRUE(one.within(20s));
        EXPECT_EQ(one.get().rank, 1);
    }
    const std::string why = aborted.get_future().get();
    EXPECT_NE(
        why.find("rank 1 has not started step #2 (44.7 MB) of group nccl that rank 0 has waited in for"),
        std::string::npos)
        << why;
    EXPECT_NE(why.find("rank 1 has finished step #1 (44.7 MB) and computes, or hangs"), std::string::npos)
        << why;
    watches.clear();
}

// A collective that one rank does not come to.

struct Case {
    const char* name;
    std::vector<std::string> hosts;
    Transport transport;
};

class MissingCall : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Transports, MissingCall,
                         ::testing::Values(Case{"SharedMemory", {"", "", ""}, Transport::automatic},
                                           Case{"Gloo", {"", "", ""}, Transport::gloo},
                                           Case{"TwoHosts", {"a", "a", "b"}, Transport::automatic}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(MissingCall, EndsTheOthersWithItsName) {
    constexpr int kWorld = 3;
    for (const int missing : {0, 2}) {
        const std::uint16_t port = local_port(listen_tcp(0, "127.0.0.1"));
        std::latch all_reported(kWorld);
        std::vector<Losses> losses(kWorld);
        std::vector<std::jthread> ranks;
        for (int rank = 0; rank < kWorld; ++rank) {
            ranks.emplace_back([&, rank] {
                RendezvousOptions options;
                options.env = {.rank = rank,
                               .world_size = kWorld,
                               .local_world_size = kWorld,
                               .master_addr = "127.0.0.1",
                               .master_port = port,
                               .token = "t",
                               .socket_interface = "",
                               .transport = GetParam().transport,
                               .host = GetParam().hosts[static_cast<std::size_t>(rank)],
                               .heartbeat = 0ms,
                               .collective_timeout = 700ms};
                options.peer_lost = losses[static_cast<std::size_t>(rank)].taker();
                options.progress = [](const RendezvousProgress&) {};
                Rendezvous rendezvous(options);
                rendezvous.group().barrier();
                if (rank != missing) {
                    std::vector<float> values(300000);
                    try {
                        rendezvous.group().all_reduce_sum(values).wait();
                        ADD_FAILURE() << "finished without rank " << missing;
                    } catch (const PeerLostError& error) {
                        EXPECT_NE(std::string(error.what())
                                      .find("rank " + std::to_string(missing) +
                                            " has not started all_reduce #2 (1.2 MB) that "
                                            "rank "),
                                  std::string::npos)
                            << error.what();
                    }
                }
                EXPECT_TRUE(losses[static_cast<std::size_t>(rank)].within(30s));
                all_reported.arrive_and_wait();  // rank 0's store must not end before
            });
        }
        ranks.clear();
        for (int rank = 0; rank < kWorld; ++rank) {
            const PeerLoss loss = losses[static_cast<std::size_t>(rank)].get();
            EXPECT_EQ(loss.rank, missing);
            EXPECT_EQ(loss.kind, PeerLoss::Kind::missing);
            EXPECT_EQ(loss.text(rank).rfind("the other ranks have lost this one", 0) == 0, rank == missing);
        }
    }
}

}  // namespace
}  // namespace rankscope::engine::test
