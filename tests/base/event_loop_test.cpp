// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/event_loop.h>
#include <base/fd.h>
#include <base/wait_fd.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <string>
#include <thread>

namespace rankscope {
namespace {

constexpr double kLoopPatience = 60;

TEST(EventLoop, CallsTheHandlerOfAReadyDescriptor) {
    EventLoop loop;
    Pipe pipe = make_pipe();
    std::string received;
    const auto watch = loop.watch(pipe.read_end.get(), POLLIN, [&](short events) {
        EXPECT_NE(events & POLLIN, 0);
        std::array<char, 16> bytes{};
        const auto got = ::read(pipe.read_end.get(), bytes.data(), bytes.size());
        received.append(bytes.data(), static_cast<std::size_t>(got));
    });
    loop.run_once(0);
    EXPECT_EQ(received, "");
    ASSERT_EQ(::write(pipe.write_end.get(), "ab", 2), 2);
    loop.run_once(kLoopPatience);
    EXPECT_EQ(received, "ab");
}

TEST(EventLoop, ReportsAHangUp) {
    EventLoop loop;
    Pipe pipe = make_pipe();
    short found = 0;
    const auto watch = loop.watch(pipe.read_end.get(), POLLIN, [&](short events) { found = events; });
    pipe.write_end.reset();
    loop.run_once(kLoopPatience);
    EXPECT_NE(found & POLLHUP, 0);
}

TEST(EventLoop, EventsCanBeSwitchedOnAndOff) {
    EventLoop loop;
    const Pipe pipe = make_pipe();
    int calls = 0;
    auto watch = loop.watch(pipe.write_end.get(), 0, [&](short) { ++calls; });
    loop.run_once(0);
    EXPECT_EQ(calls, 0);
    watch.set_events(POLLOUT);
    loop.run_once(0);
    EXPECT_EQ(calls, 1);
    watch.set_events(0);
    loop.run_once(0);
    EXPECT_EQ(calls, 1);
}

TEST(EventLoop, AHandlerMayDropItselfAndOthers) {
    EventLoop loop;
    const Pipe pipe = make_pipe();
    int first_calls = 0;
    int second_calls = 0;
    EventLoop::Watch first;
    EventLoop::Watch second;
    first = loop.watch(pipe.write_end.get(), POLLOUT, [&](short) {
        ++first_calls;
        first.reset();
        second.reset();
    });
    second = loop.watch(pipe.write_end.get(), POLLOUT, [&](short) { ++second_calls; });
    loop.run_once(0);
    loop.run_once(0);
    EXPECT_EQ(first_calls, 1);
    EXPECT_EQ(second_calls, 0) << "dropped in the same round, before its turn";
}

TEST(EventLoop, AHandlerMayAddWatches) {
    EventLoop loop;
    const Pipe pipe = make_pipe();
    int calls = 0;
    EventLoop::Watch second;
    const auto first = loop.watch(pipe.write_end.get(), POLLOUT, [&](short) {
        if (!second) {
            second = loop.watch(pipe.write_end.get(), POLLOUT, [&](short) { ++calls; });
        }
    });
    loop.run_once(0);
    EXPECT_EQ(calls, 0) << "from the next round on";
    loop.run_once(0);
    EXPECT_EQ(calls, 1);
}

TEST(EventLoop, TimersAreCalledOnceInOrderOfTheirTimes) {
    EventLoop loop;
    std::string order;
    const double now = monotonic_s();
    const auto late = loop.call_at(now + 0.02, [&] { order += 'c'; });
    const auto early = loop.call_at(now - 2, [&] { order += 'a'; });
    const auto middle = loop.call_at(now - 1, [&] { order += 'b'; });
    EXPECT_TRUE(late.is_pending());
    while (late.is_pending() && monotonic_s() < now + kLoopPatience) {
        loop.run_once(kLoopPatience);
    }
    loop.run_once(0);
    EXPECT_EQ(order, "abc");
    EXPECT_GE(monotonic_s(), now + 0.02) << "not before its time";
}

TEST(EventLoop, ADroppedTimerIsNotCalled) {
    EventLoop loop;
    int calls = 0;
    EventLoop::Timer second;
    const double now = monotonic_s();
    const auto first = loop.call_at(now - 2, [&] { second.reset(); });
    second = loop.call_at(now - 1, [&] { ++calls; });
    loop.run_once(0);
    loop.run_once(0);
    EXPECT_EQ(calls, 0);
}

TEST(EventLoop, ATimerThatRenewsItselfDoesNotStarveTheOthers) {
    EventLoop loop;
    int renewed = 0;
    EventLoop::Timer timer;
    std::function<void()> renew = [&] {
        ++renewed;
        timer = loop.call_after(0, renew);
    };
    timer = loop.call_after(0, renew);
    loop.run_once(kLoopPatience);
    EXPECT_EQ(renewed, 1);
    loop.run_once(kLoopPatience);
    EXPECT_EQ(renewed, 2);
}

TEST(EventLoop, OtherThreadsWakeItAndTheirCallsKeepTheirOrder) {
    EventLoop loop;
    std::vector<int> calls;
    std::jthread other([&] {
        for (int i = 0; i < 1000; ++i) {
            loop.defer([&calls, i] { calls.push_back(i); });
        }
        loop.stop();
    });
    loop.run();
    loop.run_once(0);  // stop() may have been seen before the last calls
    ASSERT_EQ(calls.size(), 1000U);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(calls[static_cast<std::size_t>(i)], i);
    }
}

TEST(EventLoop, AnOwnerThatEndsTakesItsHandlersWithIt) {
    struct Owner {
        explicit Owner(EventLoop& loop, int fd, int& calls)
            : watch(loop.watch(fd, POLLOUT, [&calls](short) { ++calls; })) {}
        EventLoop::Watch watch;
    };
    EventLoop loop;
    const Pipe pipe = make_pipe();
    int calls = 0;
    auto owner = std::make_unique<Owner>(loop, pipe.write_end.get(), calls);
    owner.reset();
    loop.run_once(0);
    EXPECT_EQ(calls, 0);
}

TEST(WaitFd, SaysWhetherItIsReady) {
    const Pipe pipe = make_pipe();
    EXPECT_FALSE(wait_readable(pipe.read_end.get(), monotonic_s() - 1)) << "looks once";
    const double begin = monotonic_s();
    EXPECT_FALSE(wait_readable(pipe.read_end.get(), begin + 0.02));
    EXPECT_GE(monotonic_s(), begin + 0.02);
    ASSERT_EQ(::write(pipe.write_end.get(), "x", 1), 1);
    EXPECT_TRUE(wait_readable(pipe.read_end.get(), monotonic_s() - 1)) << "ready, however late";
    EXPECT_TRUE(wait_fd(pipe.write_end.get(), POLLOUT, std::numeric_limits<double>::infinity()));
}

TEST(WaitFd, TimeoutsAreRoundedUp) {
    EXPECT_EQ(poll_timeout_ms(0.0001), 1);
    EXPECT_EQ(poll_timeout_ms(-5), 0);
    EXPECT_EQ(poll_timeout_ms(2), 2000);
    EXPECT_EQ(poll_timeout_ms(std::numeric_limits<double>::infinity()), -1);
    EXPECT_EQ(poll_timeout_ms(1e300), 1000000000);
}

}  // namespace
}  // namespace rankscope
