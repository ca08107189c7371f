// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/phase_counter.h>
#include <engine/comm/reduce.h>
#include <engine/comm/work_queue.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <tests/engine/in_world.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <new>
#include <random>
#include <system_error>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

// The arithmetic, beside slow twins.

float bf16_twin(float value) {
    // Nearest multiple of the last place, ties to even, by way of doubles.
    if (std::isnan(value) || std::isinf(value) || value == 0.0F) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 8, -133));
    return static_cast<float>(std::nearbyint(double{value} / unit) * unit);
}

float f16_twin(float value) {
    if (std::isnan(value) || value == 0.0F) {
        return value;
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
    const double rounded = std::nearbyint(double{value} / unit) * unit;
    return std::fabs(rounded) > 65504 ? std::copysign(std::numeric_limits<float>::infinity(), value)
                                      : static_cast<float>(rounded);
}

float through(ElementType type, float value) {
    std::uint16_t half = 0;
    float back = 0;
    encode(type, 1.0F, {&value, 1}, &half);
    decode(type, &half, {&back, 1});
    return back;
}

TEST(Reduce, HalfFormatsRoundToNearestEven) {
    std::mt19937 random(5);
    std::vector<float> values{0.0F,   -0.0F,  1.0F,        -1.0F,       65504.0F, 65519.9F, 65520.0F,
                              1e30F,  -1e30F, 6.1e-5F,     6.0e-5F,     5.96e-8F, 2.98e-8F, 2.9e-8F,
                              1e-20F, 1e-39F, 1.00390625F, 1.01171875F, 2049.0F,  2051.0F};
    for (int i = 0; i < 200000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isfinite(value)) {
            values.push_back(value);
        }
        values.push_back(std::ldexp(static_cast<float>(random() % 100000), -static_cast<int>(random() % 45)));
    }
    for (const float value : values) {
        ASSERT_EQ(through(ElementType::f16, value), f16_twin(value)) << value;
        if (std::fabs(value) < 3.3e38F) {
            ASSERT_EQ(through(ElementType::bf16, value), bf16_twin(value)) << value;
        }
    }
    for (const ElementType type : {ElementType::bf16, ElementType::f16}) {
        EXPECT_TRUE(std::isnan(through(type, std::numeric_limits<float>::quiet_NaN())));
        EXPECT_EQ(through(type, -std::numeric_limits<float>::infinity()),
                  -std::numeric_limits<float>::infinity());
        EXPECT_TRUE(std::signbit(through(type, -0.0F)));
    }
}

TEST(Reduce, EveryHalfComesBackAsItself) {
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<std::uint16_t>(i);
    }
    std::vector<float> values(all.size());
    std::vector<std::uint16_t> back(all.size());
    for (const ElementType type : {ElementType::bf16, ElementType::f16}) {
        decode(type, all.data(), values);
        encode(type, 1.0F, values, back.data());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!std::isnan(values[i])) {
                ASSERT_EQ(back[i], all[i]) << name_of(type);
            }
        }
    }
}

TEST(Reduce, AddsInOrderWhateverTheNumberOfSources) {
    std::mt19937 random(6);
    for (const std::size_t sources : {1U, 2U, 3U, 5U}) {
        for (const std::size_t count : {1U, 3U, 31U, 1024U, 2500U}) {
            std::vector<std::vector<float>> values(sources, std::vector<float>(count));
            std::vector<float> expected(count);
            for (std::size_t k = 0; k < sources; ++k) {
                for (std::size_t i = 0; i < count; ++i) {
                    values[k][i] = static_cast<float>(random()) * 1e-5F;
                    expected[i] = k == 0 ? values[k][i] * 0.3F : expected[i] + values[k][i] * 0.3F;
                }
            }
            std::vector<const void*> from;
            std::vector<void*> to;
            for (auto& array : values) {
                from.push_back(array.data());
                to.push_back(array.data());
            }
            reduce(ElementType::f32, 0.3F, from, to, count);
            for (const auto& array : values) {
                ASSERT_EQ(array, expected);
            }
        }
    }
}

// Groups.

std::vector<WorldOptions> worlds() {
    return {{.ranks = 1},
            {.ranks = 2},
            {.ranks = 3},
            {.ranks = 4},
            {.ranks = 5},
            {.ranks = 2, .transport = Transport::gloo},
            {.ranks = 3, .transport = Transport::gloo},
            {.ranks = 5, .transport = Transport::gloo},
            {.ranks = 4, .hosts = {"a", "a", "b", "b"}},
            {.ranks = 4, .hosts = {"a", "b", "a", "b"}},
            {.ranks = 5, .hosts = {"a", "b", "b", "c", "b"}},
            {.ranks = 3, .hosts = {"a", "b", "c"}}};
}

class Worlds : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, Worlds, ::testing::ValuesIn(worlds()),
                         [](const auto& one) { return test_name(one.param); });

float value_of(int rank, std::size_t i) {
    return static_cast<float>(rank + 1) * 0.1F + static_cast<float>(i % 97) * 1e-3F;
}

/// What the ranks must get, by the definition: rank order; over several hosts first inside each.
template <typename Value>
auto expected_sum(const WorldOptions& world, const Value& value) {
    std::map<std::string, decltype(value(0))> by_host;
    std::vector<std::string> order;
    for (int rank = 0; rank < world.ranks; ++rank) {
        const std::string host = world.hosts.empty() ? "one" : world.hosts[static_cast<std::size_t>(rank)];
        const auto [entry, fresh] = by_host.emplace(host, value(rank));
        if (fresh) {
            order.push_back(host);
        } else {
            entry->second += value(rank);
        }
    }
    auto sum = by_host[order.front()];
    for (std::size_t i = 1; i < order.size(); ++i) {
        sum += by_host[order[i]];
    }
    return sum;
}

TEST_P(Worlds, AllReduceGivesTheSameBitsOnEveryRank) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        for (const std::size_t size : {1U, 2U, 3U, 7U, 100U, 4099U, 16385U, 113674U, 400001U}) {
            std::vector<float> own(size);
            const std::shared_ptr<float> shared = group.allocate(size);
            for (const std::span<float> values : {std::span(own), std::span(shared.get(), size)}) {
                for (const float scale : {1.0F, 0.3F}) {
                    for (std::size_t i = 0; i < size; ++i) {
                        values[i] = value_of(group.rank(), i);
                    }
                    const Piece piece{values.data(), size};
                    group.all_reduce({.pieces = {&piece, 1}, .scale = scale}).wait();
                    for (std::size_t i = 0; i < size; ++i) {
                        const float expected =
                            expected_sum(world, [&](int rank) { return value_of(rank, i) * scale; });
                        ASSERT_EQ(values[i], expected) << size << " at " << i;
                    }
                }
            }
        }
    });
}

TEST_P(Worlds, AllReduceOfPiecesTouchesNothingElse) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        constexpr std::size_t kPieces = 300;
        constexpr std::size_t kStride = 700;
        std::vector<float> own(kPieces * kStride);
        const std::shared_ptr<float> shared = group.allocate(own.size());
        // The last rank's memory is not the group's: all must take the way round then.
        const bool registered = group.rank() + 1 < group.size();
        const std::span<float> values = registered ? std::span(shared.get(), own.size()) : std::span(own);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = value_of(group.rank(), i);
        }
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < kPieces; ++i) {
            pieces.push_back({values.data() + i * kStride, 1 + (i * 37) % (kStride - 1)});
        }
        group.all_reduce({.pieces = pieces}).wait();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool inside = i % kStride < pieces[i / kStride].count;
            const float expected = inside ? expected_sum(world, [&](int rank) { return value_of(rank, i); })
                                          : value_of(group.rank(), i);
            ASSERT_EQ(values[i], expected) << i;
        }
    });
}

TEST_P(Worlds, HalvesAreAddedInSingleAndMetricsInDoublePrecision) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        for (const ElementType type : {ElementType::bf16, ElementType::f16}) {
            constexpr std::size_t kCount = 50001;
            std::vector<float> values(kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
                values[i] = value_of(group.rank(), i);
            }
            std::vector<std::uint16_t> halves(kCount);
            encode(type, 1.0F, values, halves.data());
            const Piece piece{halves.data(), kCount};
            group.all_reduce({.pieces = {&piece, 1}, .type = type}).wait();
            decode(type, halves.data(), values);
            const float unit = type == ElementType::bf16 ? 1.0F / 256 : 1.0F / 2048;
            for (std::size_t i = 0; i < kCount; ++i) {
                float sum = 0;
                for (int rank = 0; rank < world.ranks; ++rank) {
                    sum += value_of(rank, i);
                }
                // The parts are rounded and the sum; with several hosts the hosts' sums too.
                const float roundings = world.hosts.empty() ? 2.01F : 3.01F;
                ASSERT_NEAR(values[i], sum, roundings * unit * sum) << name_of(type);
            }
            const std::string all =
                group.all_gather({static_cast<const char*>(static_cast<const void*>(halves.data())),
                                  kCount * sizeof(std::uint16_t)})[0];
            EXPECT_EQ(std::memcmp(all.data(), halves.data(), all.size()), 0);
        }
        std::vector<double> metrics{1e-9 * (group.rank() + 1), 1e9, 3.0};
        group.sum(std::span<double>(metrics));
        EXPECT_EQ(metrics[0], expected_sum(world, [](int rank) { return 1e-9 * (rank + 1); }));
        EXPECT_EQ(metrics[1], 1e9 * world.ranks);
        std::vector<float> few{1.0F, static_cast<float>(group.rank())};
        group.sum(std::span<float>(few));
        EXPECT_EQ(few[0], static_cast<float>(world.ranks));
    });
}

TEST_P(Worlds, BroadcastGatherBarrier) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        for (int root = 0; root < group.size(); ++root) {
            for (const std::size_t size : {1U, 1000U, 300001U}) {
                const auto content = [&](int rank) { return static_cast<float>(rank * 1000 + root); };
                std::vector<float> own(size, content(group.rank()));
                group.broadcast(std::span(own), root);
                EXPECT_EQ(own, std::vector<float>(size, content(root)));
                const std::shared_ptr<float> shared = group.allocate(size);
                std::fill_n(shared.get(), size, content(group.rank()));
                group.broadcast(std::span(shared.get(), size), root);
                EXPECT_EQ(std::vector<float>(shared.get(), shared.get() + size), own);
            }
        }
        for (const std::size_t size : {0U, 1U, 20U, 700001U}) {
            const auto all = group.all_gather(std::string(size, static_cast<char>('a' + group.rank())));
            ASSERT_EQ(static_cast<int>(all.size()), group.size());
            for (std::size_t rank = 0; rank < all.size(); ++rank) {
                EXPECT_EQ(all[rank], std::string(size, static_cast<char>('a' + rank)));
            }
        }
        group.barrier();
    });
}

TEST_P(Worlds, OperationsRunInOrderWhetherWaitedForOrNot) {
    in_world(GetParam(), [&](ProcessGroup& group) {
        std::vector<float> values(20000, 1.0F);
        std::vector<Work> works;
        const Piece all{values.data(), values.size()};
        const Piece some{values.data(), 3};
        for (int round = 0; round < 5; ++round) {
            works.push_back(group.all_reduce({.pieces = {&all, 1}}, When::soon));
            works.push_back(group.all_reduce({.pieces = {&some, 1}}, When::at_wait));
        }
        std::vector<float> probe{1.0F};
        group.sum(std::span<float>(probe));  // behind all of them
        const auto power = [&](int times) { return std::pow(static_cast<float>(group.size()), times); };
        EXPECT_EQ(values[0], power(10));  // exact: below 2²⁴
        EXPECT_EQ(values[3], power(5));
        works.back().wait();
        works.front().wait();
        EXPECT_EQ(probe[0], static_cast<float>(group.size()));
    });
}

TEST_P(Worlds, SplitGroupsWorkBesideTheWhole) {
    in_world(GetParam(), [&](ProcessGroup& group) {
        const int parity = group.rank() % 2;
        const auto half = group.split(parity);
        const auto without_first = group.split(group.rank() == 0 ? -1 : 7);
        ASSERT_EQ(without_first == nullptr, group.rank() == 0);
        ASSERT_NE(half, nullptr);
        EXPECT_EQ(half->rank(), group.rank() / 2);
        EXPECT_EQ(half->size(), (group.size() + 1 - parity) / 2);
        std::vector<float> mine(40000, 1.0F);
        const Work in_half = half->all_reduce_sum(mine);
        std::vector<float> whole(40000, 1.0F);
        const Work in_whole = group.all_reduce_sum(whole);
        Work(in_whole).wait();
        Work(in_half).wait();
        EXPECT_EQ(mine, std::vector<float>(mine.size(), static_cast<float>(half->size())));
        EXPECT_EQ(whole, std::vector<float>(whole.size(), static_cast<float>(group.size())));
        if (without_first) {
            std::vector<double> count{1.0};
            without_first->sum(std::span<double>(count));
            EXPECT_EQ(count[0], group.size() - 1);
            const auto again = without_first->split(without_first->rank() / 2);
            again->barrier();
        }
        group.barrier();
    });
}

TEST_P(Worlds, AbortEndsWhatWaits) {
    const WorldOptions world = GetParam();
    if (world.ranks == 1) {
        GTEST_SKIP() << "one rank waits for no other";
    }
    std::promise<void> all_failed;
    std::shared_future<void> done = all_failed.get_future().share();
    std::atomic<int> failed{0};
    // They outlive the groups: what was abandoned may still arrive.
    std::vector<std::vector<float>> all(static_cast<std::size_t>(world.ranks), std::vector(500000, 1.0F));
    in_world(world, [&](ProcessGroup& group) {
        group.barrier();
        if (group.rank() == world.ranks - 1) {
            done.wait_for(60s);  // never takes part
            return;
        }
        std::vector<float>& values = all[static_cast<std::size_t>(group.rank())];
        const auto begin = std::chrono::steady_clock::now();
        std::jthread watchdog([&] {
            std::this_thread::sleep_for(50ms);
            group.abort("rank 7 is gone");
        });
        try {
            group.all_reduce_sum(values).wait();
            ADD_FAILURE() << "finished without the last rank";
        } catch (const PeerLostError& error) {
            EXPECT_STREQ(error.what(), "rank 7 is gone");
        }
        EXPECT_THROW(group.barrier(), PeerLostError);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
        if (++failed == world.ranks - 1) {
            all_failed.set_value();
        } else {
            done.wait_for(60s);
        }
    });
}

TEST(SharedMemoryGroup, IsChosenInsideAHostUnlessSwitchedOff) {
    std::string transport;
    const auto ask = [&](ProcessGroup& group) {
        if (group.rank() == 0) {
            transport = group.transport();
        }
        EXPECT_EQ(group.backend(), "gloo");
    };
    in_world({.ranks = 2}, ask);
    EXPECT_EQ(transport, "shared memory");
    in_world({.ranks = 2, .transport = Transport::gloo}, ask);
    EXPECT_EQ(transport, "Gloo");
    in_world({.ranks = 3, .hosts = {"a", "a", "b"}}, ask);
    EXPECT_EQ(transport, "shared memory inside 2 hosts, Gloo between them");
    in_world({.ranks = 1}, ask);
    EXPECT_EQ(transport, "none: one rank");
}

TEST(SharedMemoryGroup, RanksThatDoDifferentThingsAreNamed) {
    for (const int kind : {0, 1, 2}) {
        in_world({.ranks = 3}, [&](ProcessGroup& group) {
            group.barrier();
            std::vector<float> values(group.rank() == 2 && kind == 1 ? 5000 : 4000);
            try {
                if (group.rank() == 2 && kind == 0) {
                    group.broadcast(std::span(values), 0);
                } else if (group.rank() == 2 && kind == 2) {
                    std::vector<double> metrics(2000);
                    group.sum(std::span<double>(metrics));
                } else {
                    group.all_reduce_sum(values).wait();
                }
                ADD_FAILURE() << "rank " << group.rank() << " finished";
            } catch (const PeerLostError& error) {
                ADD_FAILURE() << error.what();
            } catch (const Error& error) {
                const std::string text = error.what();
                EXPECT_NE(text.find("out of step"), std::string::npos) << text;
                EXPECT_NE(text.find("rank 2"), std::string::npos) << text;
                EXPECT_NE(text.find("all_reduce #"), std::string::npos) << text;
            }
        });
    }
}

TEST(SharedMemoryGroup, DividesItsArrayLikeTheOthersOrIsNamed) {
    in_world({.ranks = 2}, [&](ProcessGroup& group) {
        std::vector<float> values(40000);
        const std::size_t cut = group.rank() == 0 ? 1000 : 1001;
        const std::vector<Piece> pieces{{values.data(), cut}, {values.data() + cut, values.size() - cut}};
        try {
            group.all_reduce({.pieces = pieces}).wait();
            ADD_FAILURE() << "finished";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("divides its array differently"), std::string::npos);
        }
    });
}

TEST(SharedMemoryGroup, LeavesNothingInTheFileSystem) {
    const auto entries = [] {
        std::vector<std::string> names;
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", none)) {
            if (entry.path().filename().string().find("rankscope") != std::string::npos) {
                names.push_back(entry.path());
            }
        }
        return names;
    };
    in_world({.ranks = 2}, [&](ProcessGroup& group) {
        const std::shared_ptr<float> memory = group.allocate(100000);
        group.all_reduce_sum({memory.get(), 100000}).wait();
        EXPECT_TRUE(entries().empty());
        // Named by nothing but this process's own table of open files.
        std::ifstream maps("/proc/self/maps");
        int found = 0;
        for (std::string line; std::getline(maps, line);) {
            found += line.find("/memfd:rankscope (deleted)") != std::string::npos ? 1 : 0;
        }
        EXPECT_GE(found, 4);
        group.barrier();
    });
    EXPECT_TRUE(entries().empty());
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        EXPECT_EQ(line.find("memfd:rankscope"), std::string::npos) << line;
    }
}

TEST(SharedMemoryGroup, MemoryComesAndGoesWhileTheGroupLives) {
    in_world({.ranks = 3}, [&](ProcessGroup& group) {
        for (int round = 0; round < 30; ++round) {
            const std::size_t size = 20000 + static_cast<std::size_t>(round) * 777;
            const std::shared_ptr<float> memory = group.allocate(size);
            EXPECT_EQ(memory.get()[size - 1], 0.0F);
            std::fill_n(memory.get(), size, 1.0F);
            group.all_reduce_sum({memory.get(), size}).wait();
            EXPECT_EQ(memory.get()[0], 3.0F);
            EXPECT_EQ(memory.get()[size - 1], 3.0F);
        }
    });
}

TEST(SharedMemoryGroup, WaitingCostsNoProcessorTime) {
    in_world({.ranks = 2}, [&](ProcessGroup& group) {
        std::vector<float> values(1000);
        group.all_reduce_sum(values).wait();
        const auto cpu = [] {
            timespec time{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
            return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
        };
        if (group.rank() == 1) {
            std::this_thread::sleep_for(500ms);
        }
        const auto before = cpu();
        group.sum(std::span<float>(values));
        EXPECT_LT(cpu() - before, 50ms);
    });
}

TEST(GlooGroup, NoSocketDelaysItsSending) {
    // Left as Gloo opens them, every other all-reduce of 455 KB stalls for 44 ms.
    in_world({.ranks = 2, .transport = Transport::gloo}, [](ProcessGroup& group) {
        group.barrier();
        int connected = 0;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            const int descriptor = std::stoi(entry.path().filename().string());
            sockaddr_storage peer{};
            socklen_t size = sizeof(peer);
            if (getpeername(descriptor, static_cast<sockaddr*>(static_cast<void*>(&peer)), &size) != 0 ||
                (peer.ss_family != AF_INET && peer.ss_family != AF_INET6)) {
                continue;
            }
            int on = 0;
            socklen_t length = sizeof(on);
            getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, &length);
            EXPECT_NE(on, 0) << "socket " << descriptor;
            ++connected;
        }
        EXPECT_GE(connected, 2);
        group.barrier();
    });
}

TEST(GlooGroup, LeavesOtherSocketsAsTheyAre) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(place);
    auto* address = static_cast<sockaddr*>(static_cast<void*>(&place));
    ASSERT_EQ(bind(listener, address, size), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    ASSERT_EQ(getsockname(listener, address, &size), 0);
    const int others = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(connect(others, address, size), 0);
    in_world({.ranks = 2, .transport = Transport::gloo}, [others](ProcessGroup& group) {
        group.barrier();
        int on = 1;
        socklen_t length = sizeof(on);
        EXPECT_EQ(getsockopt(others, IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
        EXPECT_EQ(on, 0);
        group.barrier();
    });
    close(others);
    close(listener);
}

// Else the diagnosis looks for the cause at a rank that is well.
TEST(WorkQueue, OnlyABrokenConnectionIsAnotherRanksFault) {
    const auto blamed = [](const std::function<void()>& run) {
        try {
            run();
        } catch (const PeerLostError&) {
            return true;
        } catch (const Error&) {
            return false;
        }
        ADD_FAILURE() << "nothing was thrown";
        return false;
    };
    const auto memory = [] { throw std::bad_alloc(); };
    const auto connection = [] { throw std::system_error(ECONNRESET, std::generic_category()); };
    WorkQueue queue;
    EXPECT_FALSE(blamed([&] { queue.run(memory); })) << "on the thread that waits";
    EXPECT_TRUE(blamed([&] { queue.run(connection); }));
    for (const When when : {When::soon, When::at_wait}) {
        EXPECT_FALSE(blamed([&] { queue.submit(memory, when).wait(); }));
        EXPECT_TRUE(blamed([&] { queue.submit(connection, when).wait(); }));
    }
}

}  // namespace
}  // namespace rankscope::engine::test
