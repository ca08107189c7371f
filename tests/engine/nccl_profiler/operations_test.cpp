// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The life of operations, as each version of NCCL reports it.

#include <tests/engine/nccl_profiler/driver.h>

namespace rankscope::nccl::test {
namespace {

template <typename V>
class NcclPlugin : public ::testing::Test {
protected:
    TemporaryFolder folder;
};
TYPED_TEST_SUITE(NcclPlugin, AllVersions);

TYPED_TEST(NcclPlugin, ACollectiveFromEnqueueToTheGpusEnd) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        EXPECT_STREQ(driver.table().name, "Rankscope");
        void* context = driver.init(0xabcdef0123, 8, 3);
        ASSERT_NE(context, nullptr);
        EXPECT_EQ(driver.mask(), 1 | 2 | 4 | 64 | 256 | 512 | 1024 | 4096);
        void* coll = driver.start(context, driver.coll(41));
        ASSERT_NE(coll, nullptr);
        driver.stop(coll);
        Reader reader = reader_of(this->folder);
        const auto open = reader.open_operations();
        if (Driver<TypeParam>::kKernels) {
            ASSERT_EQ(open.size(), 1U);
            EXPECT_EQ(open[0].operation.phase, static_cast<std::uint32_t>(Phase::enqueued));
            EXPECT_EQ(open[0].channels_seen, 0U);
        } else {
            EXPECT_TRUE(open.empty());
        }
        driver.run_kernel(context, coll, 2, 5000, 9000);
        EXPECT_TRUE(reader.open_operations().empty());
        driver.finalize(context);

        const auto records = reader.read().records;
        const auto enqueued = of_kind(records, RecordKind::enqueued);
        ASSERT_EQ(enqueued.size(), 1U);
        EXPECT_EQ(enqueued[0].communicator, 0xabcdef0123U);
        EXPECT_EQ(enqueued[0].sequence, 41U);
        EXPECT_EQ(enqueued[0].rank, 3);
        EXPECT_EQ(enqueued[0].count, 1000U);
        EXPECT_EQ(enqueued[0].api_version, TypeParam::kNumber);
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kFunctions, enqueued[0].function), "AllReduce");
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kDatatypes, enqueued[0].datatype), "ncclFloat32");
        using nccl_ring::element_bytes;
        EXPECT_EQ(element_bytes(enqueued[0].datatype), 4U);
        EXPECT_EQ(element_bytes(200), 0U);
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kAlgorithms, enqueued[0].algorithm), "RING");
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kProtocols, enqueued[0].protocol), "LL128");
        EXPECT_GE(enqueued[0].end_ns, enqueued[0].start_ns);
        const auto finished = of_kind(records, RecordKind::finished);
        ASSERT_EQ(finished.size(), Driver<TypeParam>::kKernels ? 1U : 0U);
        if (Driver<TypeParam>::kKernels) {
            EXPECT_EQ(finished[0].operation, enqueued[0].operation);
            EXPECT_EQ(finished[0].channels_done, 2);
            EXPECT_EQ((finished[0].flags & nccl_ring::kHostTimes) != 0, TypeParam::kNumber == 3);
        }
        if (Driver<TypeParam>::kTimers) {
            EXPECT_EQ(finished[0].gpu_start_ns, 5000U);
            EXPECT_EQ(finished[0].gpu_stop_ns, 9001U);
        }
        const auto communicators = reader.communicators();
        ASSERT_EQ(communicators.size(), 1U);
        EXPECT_EQ(communicators[0].id, 0xabcdef0123U);
        EXPECT_EQ(communicators[0].rank, 3);
        EXPECT_EQ(name_of(communicators[0]), "comm");
        EXPECT_EQ(communicators[0].state, nccl_ring::CommunicatorState::closed);
        EXPECT_EQ(communicators[0].finished, 1U);
    }));
}

TYPED_TEST(NcclPlugin, KernelEndsBeforeTheEnqueueDoes) {
    if (!Driver<TypeParam>::kKernels) {
        GTEST_SKIP() << "this version has no kernel events";
    }
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1);
        void* coll = driver.start(context, driver.coll(0));
        driver.run_kernel(context, coll, 2, 5000, 9000);
        Reader reader = reader_of(this->folder);
        EXPECT_TRUE(of_kind(reader.read().records, RecordKind::finished).empty());
        driver.stop(coll);
        driver.stop(coll);  // a second time: ignored
        const auto records = reader.read().records;
        EXPECT_EQ(of_kind(records, RecordKind::enqueued).size(), 1U);
        EXPECT_EQ(of_kind(records, RecordKind::finished).size(), 1U);
    }));
}

TYPED_TEST(NcclPlugin, SendsAndReceivesAreCountedPerPeerAndCommunicator) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "1");
        Driver<TypeParam> driver;
        for (int round = 0; round < 2; ++round) {  // the place is used again: numbers begin at 0
            void* context = driver.init(7, 100000, 0);
            for (const int peer : {0, 1, 1023, 1024, 99999}) {
                for (int i = 0; i < 3; ++i) {
                    driver.stop(driver.start(context, driver.p2p(peer, true)));
                }
                driver.stop(driver.start(context, driver.p2p(peer, false)));
            }
            driver.finalize(context);
        }
        Reader reader = reader_of(this->folder);
        const auto records = of_kind(reader.read().records, RecordKind::enqueued);
        ASSERT_EQ(records.size(), 40U);
        for (std::size_t i = 0; i < records.size(); ++i) {
            EXPECT_EQ(records[i].sequence, i % 4 == 3 ? 0 : i % 4) << i;
            EXPECT_EQ((records[i].flags & nccl_ring::kSend) != 0, i % 4 != 3) << i;
            EXPECT_EQ(records[i].flags & nccl_ring::kNoSequence, 0) << i;
        }
    }));
}

TYPED_TEST(NcclPlugin, AChannelThatNeverReportsIsVisible) {
    if (!Driver<TypeParam>::kKernels) {
        GTEST_SKIP() << "this version has no kernel events";
    }
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(1);
        void* lost = driver.start(context, driver.coll(0, 4));
        driver.stop(lost);
        driver.run_kernel(context, lost, 3, 1000, 2000);
        void* started = driver.start(context, driver.kernel(lost, 3, 1000));
        EXPECT_NE(started, nullptr);
        Reader reader = reader_of(this->folder);
        auto open = reader.open_operations();
        ASSERT_EQ(open.size(), 1U);
        EXPECT_EQ(open[0].channels_seen, 4U);
        EXPECT_EQ(open[0].channels_done, 3U);
        EXPECT_EQ(open[0].operation.channels, 4);
        EXPECT_EQ(open[0].operation.phase, static_cast<std::uint32_t>(Phase::running));
        EXPECT_FALSE(open[0].overtaken);
        void* next = driver.start(context, driver.coll(1, 1));
        driver.stop(next);
        driver.run_kernel(context, next, 1, 3000, 4000);
        open = reader.open_operations();
        ASSERT_EQ(open.size(), 1U);
        EXPECT_TRUE(open[0].overtaken);

        // Its place is needed: the loss is said.
        for (std::uint64_t i = 2; i < 10000; ++i) {
            void* coll = driver.start(context, driver.coll(i, 1));
            driver.stop(coll);
            driver.run_kernel(context, coll, 1, i * 10000, i * 10000 + 5);
        }
        EXPECT_TRUE(reader.open_operations().empty());
        const auto communicators = reader.communicators();
        EXPECT_EQ(communicators.at(0).abandoned, 1U);
        EXPECT_EQ(reader.header().operations_dropped, 0U);
    }));
}

TYPED_TEST(NcclPlugin, NetworkWaitsAreToldApart) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "4");
        Driver<TypeParam> driver;
        void* context = driver.init(1, 4, 0);
        EXPECT_EQ(driver.mask() & (8 | 16), 8 | 16);
        void* coll = driver.start(context, driver.coll(0, 1));
        void* send = driver.start(context, driver.proxy(coll, 1, true));
        void* receive = driver.start(context, driver.proxy(coll, 3, false));
        EXPECT_EQ(driver.start(context, driver.proxy(coll, 3, false, getpid() + 1)), nullptr);  // PXN
        driver.stop(coll);
        driver.state(send, abi::kProxyOpInProgress);
        void* first = driver.start(context, driver.step(send, 0));
        void* second = driver.start(context, driver.step(receive, 0));
        driver.state(first, abi::kStepSendGpuWait);
        driver.state(second, abi::kStepRecvWait);
        Reader reader = reader_of(this->folder);
        const auto open = reader.open_network();
        ASSERT_EQ(open.size(), 2U);
        EXPECT_EQ(open[0].peer, 1);
        EXPECT_EQ(open[0].send, 1);
        EXPECT_EQ(open[1].state, static_cast<std::uint32_t>(abi::kStepRecvWait));
        usleep(3000);
        driver.state(first, abi::kStepSendWait);
        driver.state(second, abi::kStepRecvGpuWait);
        usleep(3000);
        driver.stop(first);
        driver.stop(second);
        driver.stop(send);
        driver.stop(receive);
        driver.stop(receive);
        driver.run_kernel(context, coll, 1, 1000, 2000);
        EXPECT_TRUE(reader.open_network().empty());
        const auto records = reader.read().records;
        const auto last =
            of_kind(records, Driver<TypeParam>::kKernels ? RecordKind::finished : RecordKind::network);
        ASSERT_EQ(last.size(), 1U);
        EXPECT_GE(last[0].peer_wait_ns, 6'000'000U);
        EXPECT_GE(last[0].gpu_wait_ns, 6'000'000U);
        EXPECT_GE(last[0].network_us, 6000U);
        EXPECT_EQ(last[0].network_operations, 2U);
        EXPECT_EQ(reader.header().foreign_events, 1U);
    }));
}

TYPED_TEST(NcclPlugin, NullStaleAndForeignValuesAreHarmless) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "4");
        Driver<TypeParam> driver;
        auto& table = driver.table();
        void* context = driver.init(1);
        void* other = driver.init(2);
        driver.finalize(other);
        int somewhere = 0;
        void* handle = nullptr;
        for (void* wrong : {static_cast<void*>(nullptr), other, static_cast<void*>(&somewhere),
                            reinterpret_cast<void*>(~std::uintptr_t{0}), reinterpret_cast<void*>(7)}) {
            for (const std::uint64_t type :
                 {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 0, 3}) {
                typename TypeParam::Descriptor descriptor{};
                descriptor.type = static_cast<decltype(descriptor.type)>(type);
                descriptor.parent = wrong;
                EXPECT_EQ(table.start_event(wrong, &handle, &descriptor), 0);
                EXPECT_EQ(table.start_event(context, &handle, &descriptor), 0);
                EXPECT_EQ(table.stop_event(handle), 0);
            }
            EXPECT_EQ(table.stop_event(wrong), 0);
            for (int state = -1; state < 40; ++state) {
                typename TypeParam::Arguments arguments{};
                EXPECT_EQ(table.record_state(wrong, state, &arguments), 0);
                EXPECT_EQ(table.record_state(wrong, state, nullptr), 0);
            }
            EXPECT_EQ(table.finalize(wrong), 0);
        }
        EXPECT_EQ(table.start_event(context, nullptr, nullptr), 0);
        EXPECT_EQ(table.start_event(context, &handle, nullptr), 0);
        typename TypeParam::Descriptor coll = driver.coll(0);
        EXPECT_EQ(table.start_event(context, nullptr, &coll), 0);
        Reader reader = reader_of(this->folder);
        EXPECT_GT(reader.communicators().size(), 0U);
        EXPECT_GT(reader.header().stale_handles, 0U);
        driver.finalize(context);
        driver.finalize(context);
    }));
}

TYPED_TEST(NcclPlugin, WithoutItsFolderNothingIsObserved) {
    EXPECT_TRUE(in_own_process([&] {
        unsetenv("RANKSCOPE_NCCL_DIR");
        Driver<TypeParam> driver;
        driver.set_mask(77);
        void* context = driver.init(1);
        EXPECT_EQ(context, nullptr);
        EXPECT_EQ(driver.mask(), 0);
        EXPECT_EQ(driver.start(context, driver.coll(0)), nullptr);
    }));
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "0");
        Driver<TypeParam> driver;
        EXPECT_EQ(driver.init(1), nullptr);
        EXPECT_EQ(driver.mask(), 0);
        EXPECT_TRUE(ring_files(this->folder.path()).empty());
    }));
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder);
        setenv("RANKSCOPE_NCCL_DIR", (this->folder / "absent").c_str(), 1);
        Driver<TypeParam> driver;
        EXPECT_EQ(driver.init(1), nullptr);
        EXPECT_EQ(driver.mask(), 0);
    }));
}

}  // namespace
}  // namespace rankscope::nccl::test
