// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The user's own plugin behind ours.

#include <tests/engine/nccl_profiler/chained_plugin.h>
#include <tests/engine/nccl_profiler/driver.h>

namespace rankscope::nccl::test {
namespace {

class NcclChain : public ::testing::Test {
protected:
    static const ChainedCounts& counts() {
        static void* library = dlopen(RANKSCOPE_CHAINED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        return *static_cast<const ChainedCounts*>(dlsym(library, "chained_counts"));
    }
    static void chain_to(const char* path) { setenv("RANKSCOPE_NCCL_CHAIN", path, 1); }
    TemporaryFolder folder;
};

/// One collective of a group with everything that belongs to it.
template <typename V>
void one_collective(Driver<V>& driver, void* context, std::uint64_t sequence) {
    void* group = driver.start(context, driver.group_api());
    void* call = driver.start(context, driver.coll_api(group));
    driver.stop(call);
    void* plan = driver.start(context, driver.of_type(abi::kGroup));
    auto descriptor = driver.coll(sequence, 2, Driver<V>::kCalls ? call : plan);
    if constexpr (Driver<V>::kCalls) {
        descriptor.coll.group = plan;
    }
    void* coll = driver.start(context, descriptor);
    driver.stop(coll);
    driver.stop(plan);
    driver.stop(group);
    void* network = driver.start(context, driver.proxy(coll, 1, true));
    driver.state(network, abi::kProxyOpInProgress);
    driver.run_kernel(context, coll, 2, sequence * 1000 + 1, sequence * 1000 + 10);
    driver.stop(network);
}

TEST_F(NcclChain, BothSeeTheSameOperations) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder);
        chain_to(RANKSCOPE_CHAINED_PLUGIN);
        Driver<V5> driver;
        void* context = driver.init(9);
        EXPECT_EQ(driver.mask(), 1 | 2 | 4 | 8 | 64 | 256 | 512 | 1024 | 4096);  // and ProxyOp, for theirs
        constexpr int kCollectives = 20000;  // more than places for handles
        for (std::uint64_t i = 0; i < kCollectives; ++i) {
            one_collective(driver, context, i);
        }
        EXPECT_EQ(counts().contexts, 1);
        EXPECT_EQ(counts().wrong, 0);
        EXPECT_EQ(counts().started,
                  kCollectives * 7);  // group call, call, group, collective, network, 2 channels
        EXPECT_EQ(counts().stopped, counts().started);
        EXPECT_EQ(counts().states, kCollectives * 3);
        EXPECT_EQ(counts().with_parent, kCollectives * 5);
        EXPECT_EQ(counts().with_group, kCollectives);
        Reader reader = reader_of(folder);
        EXPECT_EQ(reader.communicators().at(0).finished, static_cast<std::uint64_t>(kCollectives));
        EXPECT_EQ(reader.header().chain_dropped, 0U);
        EXPECT_EQ(reader.header().problems, 0U);

        void* open = driver.start(context, driver.coll(90000));
        *counts().mask = 0;  // theirs ends to observe, while it runs
        one_collective(driver, context, 90001);
        EXPECT_EQ(driver.mask() & 8, 0);
        driver.stop(open);
        driver.finalize(context);
        EXPECT_EQ(counts().finalized, 1);
        driver.stop(open);
        driver.stop(driver.start(context, driver.coll(1)));
        EXPECT_EQ(counts().stopped, counts().started);
        EXPECT_EQ(counts().wrong, 0);
    }));
}

TEST_F(NcclChain, TheirsWorksWithoutOurFolder) {
    EXPECT_TRUE(in_own_process([&] {
        unsetenv("RANKSCOPE_NCCL_DIR");
        chain_to(RANKSCOPE_CHAINED_PLUGIN);
        Driver<V2> driver;
        void* context = driver.init(9);
        ASSERT_NE(context, nullptr);
        EXPECT_EQ(driver.mask() & (2 | 4 | 8), 2 | 4 | 8);
        one_collective(driver, context, 0);
        driver.finalize(context);
        EXPECT_EQ(counts().started, 3);  // group, collective, network
        EXPECT_EQ(counts().stopped, 3);
        EXPECT_EQ(counts().finalized, 1);
        EXPECT_EQ(counts().wrong, 0);
        EXPECT_TRUE(ring_files(folder.path()).empty());
    }));
}

TEST_F(NcclChain, OneThatIsAbsentOrOfAnotherVersionIsSaid) {
    for (const char* path : {"/nowhere/libown.so", RANKSCOPE_CHAINED_PLUGIN, RANKSCOPE_NCCL_PLUGIN}) {
        const TemporaryFolder own;
        EXPECT_TRUE(in_own_process([&] {
            observe_into(own);
            chain_to(path);
            Driver<V4> driver;  // theirs has 2 and 5
            void* context = driver.init(9);
            driver.stop(driver.start(context, driver.coll(0)));
            Reader reader = reader_of(own);
            EXPECT_EQ(reader.header().problems, std::string(path) == "/nowhere/libown.so"
                                                    ? std::uint32_t{nccl_ring::kChainMissing}
                                                    : std::uint32_t{nccl_ring::kChainNoVersion});
            EXPECT_EQ(reader.open_operations().size(), 1U);
        }));
    }
}

}  // namespace
}  // namespace rankscope::nccl::test
