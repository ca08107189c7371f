// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Calls of the program, groups, CUDA graphs, copy engines: what versions 5 and 6 add. GPU clocks and levels.

#include <base/nccl_ring/reader.h>

#include <tests/engine/nccl_profiler/driver.h>

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <set>

namespace rankscope::nccl::test {
namespace {

using nccl_ring::set_level;

template <typename V>
class NcclCalls : public ::testing::Test {
protected:
    TemporaryFolder folder;
};
using WithCalls = ::testing::Types<V5, V6>;
TYPED_TEST_SUITE(NcclCalls, WithCalls);

/// What is open, by kind and phase.
std::multiset<std::pair<OperationKind, Phase>> open_now(Reader& reader) {
    std::multiset<std::pair<OperationKind, Phase>> result;
    for (const auto& open : reader.open_operations()) {
        result.emplace(open.operation.kind, static_cast<Phase>(open.operation.phase));
    }
    return result;
}

TYPED_TEST(NcclCalls, CalledIsNotEnqueued) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1);
        void* group = driver.start(context, driver.group_api());
        void* call = driver.start(context, driver.coll_api(group));
        Reader reader = reader_of(this->folder);
        EXPECT_EQ(open_now(reader),
                  (std::multiset<std::pair<OperationKind, Phase>>{
                      {OperationKind::group, Phase::begun}, {OperationKind::collective_call, Phase::begun}}));
        driver.stop(call);  // it returned; the group is not over
        auto open = reader.open_operations();
        ASSERT_EQ(open.size(), 2U);
        EXPECT_EQ(open[1].operation.phase, static_cast<std::uint32_t>(Phase::enqueued));
        EXPECT_FALSE(open[1].group_over);
        const auto called = of_kind(reader.read().records, RecordKind::called);
        ASSERT_EQ(called.size(), 1U);
        EXPECT_EQ(called[0].count, 1000U);
        EXPECT_EQ(called[0].flags & nccl_ring::kNoSequence, nccl_ring::kNoSequence);

        void* coll = driver.start(context, driver.coll(5, 1, call));
        driver.stop(coll);
        driver.stop(group);
        driver.stop(call);  // NCCL 2.28 to 2.30 keeps the handle
        EXPECT_EQ(
            open_now(reader),
            (std::multiset<std::pair<OperationKind, Phase>>{{OperationKind::collective, Phase::enqueued}}));
        const auto enqueued = of_kind(reader.read().records, RecordKind::enqueued);
        ASSERT_EQ(enqueued.size(), 1U);
        EXPECT_EQ(enqueued[0].parent, called[0].operation);
        EXPECT_EQ(enqueued[0].flags & nccl_ring::kReplayed, 0);
    }));
}

TYPED_TEST(NcclCalls, ACallWithoutAnOperationIsNotSilence) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1);
        void* group = driver.start(context, driver.group_api());
        driver.stop(driver.start(context, driver.coll_api(group)));
        driver.stop(group);
        Reader reader = reader_of(this->folder);
        const auto open = reader.open_operations();
        ASSERT_EQ(open.size(), 1U);
        EXPECT_TRUE(open[0].group_over);  // a symmetric kernel, or another thread enqueues
        EXPECT_EQ(reader.communicators().at(0).calls, 1U);
        EXPECT_EQ(reader.communicators().at(0).enqueued, 0U);
    }));
}

TYPED_TEST(NcclCalls, ReplaysOfAGraphAreCountedAndMarked) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1);
        void* group = driver.start(context, driver.group_api(true));
        void* call = driver.start(context, driver.coll_api(group, true));
        driver.stop(call);
        driver.stop(group);
        Reader reader = reader_of(this->folder);
        EXPECT_TRUE(reader.open_operations().empty());
        std::uint64_t clock = 1000;
        for (std::uint64_t replay = 0; replay < 10000; ++replay) {
            // NCCL counts a replay only where the group or the call has a handle.
            void* plan = driver.start(context, driver.of_type(abi::kGroup));
            ASSERT_NE(plan, nullptr);
            void* coll = driver.start(context, driver.coll(replay, 1, call));
            driver.stop(coll);
            driver.stop(plan);
            driver.run_kernel(context, coll, 1, clock, clock + 10);
            clock += 100;
        }
        EXPECT_TRUE(reader.open_operations().empty());
        const auto finished = of_kind(reader.read(100000).records, RecordKind::finished);
        ASSERT_GT(finished.size(), 5000U);
        for (const Record& record : finished) {
            ASSERT_NE(record.flags & nccl_ring::kReplayed, 0);
        }
        EXPECT_EQ(finished.back().sequence, 9999U);
    }));
}

TYPED_TEST(NcclCalls, GroupedSendsKeepTheirCall) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1, 8, 0);
        void* group = driver.start(context, driver.group_api());
        std::map<std::uint64_t, int> children;
        std::vector<void*> operations;
        void* call = driver.start(context, driver.coll_api(group));  // AlltoAll: one call, many sends
        driver.stop(call);
        for (int peer = 1; peer < 8; ++peer) {
            operations.push_back(driver.start(context, driver.p2p(peer, true, 2, call)));
            operations.push_back(driver.start(context, driver.p2p(peer, false, 2, call)));
        }
        for (void* operation : operations) {
            driver.stop(operation);
        }
        driver.stop(group);
        // All of one kernel: the same times for all.
        for (void* operation : operations) {
            driver.run_kernel(context, operation, 2, 5000, 7000);
        }
        Reader reader = reader_of(this->folder);
        EXPECT_TRUE(reader.open_operations().empty());
        for (const Record& record : of_kind(reader.read().records, RecordKind::finished)) {
            ++children[record.parent];
            EXPECT_EQ(record.flags & nccl_ring::kTimesRejected, 0);
        }
        ASSERT_EQ(children.size(), 1U);
        EXPECT_EQ(children.begin()->second, 14);
    }));
}

class NcclPluginLife : public ::testing::Test {
protected:
    TemporaryFolder folder;
};

TEST_F(NcclPluginLife, CopyEnginesFinishWithoutChannels) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        Driver<V6> driver;
        void* context = driver.init(1);
        abi::v6::Descriptor descriptor = driver.of_type(abi::kCeColl);
        descriptor.ce_coll.sequence = 3;
        descriptor.ce_coll.function = "AllGather";
        descriptor.ce_coll.datatype = "a type of a later NCCL";
        descriptor.ce_coll.count = 77;
        driver.stop(driver.start(context, descriptor));
        Reader reader = reader_of(folder);
        EXPECT_TRUE(reader.open_operations().empty());
        const auto records = of_kind(reader.read().records, RecordKind::enqueued);
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(records[0].operation_kind, OperationKind::copy_engine);
        EXPECT_EQ(records[0].sequence, 3U);
        EXPECT_EQ(records[0].datatype, 0);
    }));
}

TEST_F(NcclPluginLife, ImplausibleGpuTimesAreLeftOut) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        Driver<V5> driver;
        void* context = driver.init(1);
        const std::uint64_t base = 1'800'000'000'000'000'000;
        std::uint64_t sequence = 0;
        const auto run = [&](std::uint64_t start, std::uint64_t stop) {
            void* coll = driver.start(context, driver.coll(sequence++, 1));
            driver.stop(coll);
            driver.run_kernel(context, coll, 1, start, stop);
        };
        run(base, base + 100);
        run(base + 300, base + 200);                                // stop before start
        run(base + 50, base + 60);                                  // before the one before
        run(base + 3'600'000'000'000U, base + 3'600'000'000'100U);  // an hour ahead
        run(0, base + 500);                                         // half written
        run(base + 1000, base + 1100);
        Reader reader = reader_of(folder);
        const auto finished = of_kind(reader.read().records, RecordKind::finished);
        ASSERT_EQ(finished.size(), 6U);
        for (const std::size_t good : {0U, 5U}) {
            EXPECT_EQ(finished[good].flags & nccl_ring::kTimesRejected, 0) << good;
            EXPECT_EQ(finished[good].gpu_stop_ns - finished[good].gpu_start_ns, 100U) << good;
        }
        for (const std::size_t bad : {1U, 2U, 3U, 4U}) {
            EXPECT_NE(finished[bad].flags & nccl_ring::kTimesRejected, 0) << bad;
            EXPECT_EQ(finished[bad].gpu_start_ns, 0U) << bad;
            EXPECT_EQ(finished[bad].channels_rejected, 1) << bad;
        }
        EXPECT_EQ(reader.header().timers_rejected, 4U);
        EXPECT_EQ(reader.header().timers_accepted, 2U);
        // A clock that stays elsewhere is believed in the end.
        for (std::uint64_t i = 0; i < 40; ++i) {
            run(1000 + i * 10, 1005 + i * 10);
        }
        EXPECT_EQ(of_kind(reader.read().records, RecordKind::finished).back().gpu_start_ns, 1390U);
        EXPECT_LT(reader.header().timers_rejected, 30U);
        EXPECT_NE(reader.communicators().at(0).gpu_offset_ns, 0);
    }));
}

TEST_F(NcclPluginLife, TheLevelChangesWhileItRuns) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        setenv("RANKSCOPE_NCCL_STEPS_S", "0", 1);
        Driver<V5> driver;
        void* context = driver.init(1);
        Reader reader = reader_of(folder);
        const auto file = ring_files(folder.path()).front();
        void* half = driver.start(context, driver.coll(0, 2));
        EXPECT_EQ(set_level(file, 0), 0);
        void* group = driver.start(context, driver.group_api());  // half open: stops come for what was begun
        EXPECT_NE(group, nullptr);
        EXPECT_EQ(driver.mask(), 1 | 256);
        void* ignored = driver.start(context, driver.coll(1));
        EXPECT_EQ(ignored, nullptr);
        driver.stop(half);
        driver.stop(group);
        EXPECT_EQ(reader.open_operations().size(), 1U);
        EXPECT_EQ(set_level(file, 3), 0);
        driver.stop(driver.start(context, driver.group_api()));
        EXPECT_EQ(driver.mask() & 8, 8);
        EXPECT_EQ(set_level(file, 4), 0);
        driver.stop(driver.start(context, driver.group_api()));
        EXPECT_EQ(driver.mask() & 16, 16);
        usleep(1000);
        driver.stop(driver.start(context, driver.group_api()));  // its time is over
        driver.stop(driver.start(context, driver.group_api()));
        EXPECT_EQ(driver.mask() & (8 | 16), 0);
        EXPECT_EQ(reader.communicators().at(0).level_changes, 4U);
        EXPECT_EQ(reader.header().level_wanted, 2U);
        EXPECT_EQ(reader.header().problems, 0U);
        driver.set_mask(2);  // as RAS of NCCL 2.31 may
        driver.stop(driver.start(context, driver.coll(2)));
        EXPECT_EQ(driver.mask(), 2);
        EXPECT_EQ(reader.communicators().size(), 1U);
        EXPECT_EQ(reader.header().mask_in_force, 2U);
        EXPECT_EQ(reader.header().problems, nccl_ring::kMaskOverridden);
        EXPECT_NE(set_level("/proc/self/status", 1), 0);
        EXPECT_NE(set_level(folder / "absent", 1), 0);
    }));
}

TEST_F(NcclPluginLife, CommunicatorsGiveTheirPlaceBack) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        Driver<V5> driver;
        void* first = driver.init(1);
        for (std::uint64_t i = 0; i < 2000; ++i) {
            void* context = driver.init(100 + i);
            ASSERT_NE(context, nullptr);
            driver.stop(driver.start(context, driver.coll(0)));
            driver.finalize(context);
        }
        driver.stop(driver.start(first, driver.coll(0)));
        std::vector<void*> living;
        for (std::uint64_t i = 0; i < 300; ++i) {
            living.push_back(driver.init(5000 + i));
        }
        EXPECT_EQ(std::count(living.begin(), living.end(), static_cast<void*>(nullptr)), 45);
        EXPECT_EQ(std::set<void*>(living.begin(), living.end()).size(), 256U);
        Reader reader = reader_of(folder);
        EXPECT_EQ(reader.communicators().size(), 256U);
        EXPECT_EQ(reader.header().communicators_dropped, 45U);
        // One that is not observed still counts its replays.
        EXPECT_NE(driver.start(nullptr, driver.of_type(abi::kGroup)), nullptr);
        driver.finalize(living[0]);
        EXPECT_NE(driver.init(6000), nullptr);
        reader.read(100000);
        for (const auto& communicator : reader.communicators()) {
            EXPECT_EQ(communicator.state, nccl_ring::CommunicatorState::open);
        }
    }));
}

TEST_F(NcclPluginLife, TimesCanBeTurnedIntoUnixTime) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        setenv("RANK", "12", 1);
        setenv("LOCAL_RANK", "x", 1);
        Driver<V4> driver;
        void* context = driver.init(1);
        driver.stop(driver.start(context, driver.coll(0)));
        Reader reader = reader_of(folder);
        const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
        const auto unix = reader.realtime_ns(reader.open_operations().at(0).operation.start_ns);
        EXPECT_NEAR(static_cast<double>(now), static_cast<double>(unix), 10e9);
        EXPECT_EQ(reader.header().launch_rank, 12);
        EXPECT_EQ(reader.header().local_rank, -1);
        EXPECT_EQ(reader.header().pid, static_cast<std::uint32_t>(getpid()));
    }));
}

std::string logged;
void collect_line(int level, unsigned long /*flags*/, const char* /*file*/, int /*line*/, const char* format,
                  ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    logged += std::to_string(level) + " " + text.data() + "\n";
}

TEST_F(NcclPluginLife, OneLineInNcclsLogSaysWhereTheEventsAre) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        Driver<V5> driver;
        driver.init(1, 2, 0, nullptr, collect_line);
        driver.init(2, 2, 0, nullptr, collect_line);
        EXPECT_EQ(logged,
                  "3 Rankscope writes NCCL's events of this process to " + folder.path().string() + "\n");
    }));
}

}  // namespace
}  // namespace rankscope::nccl::test
