// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// NCCL's own adapters: libnccl 2.28 wraps each older table of a plugin as one of version 5. No GPU is needed, but a
// libnccl whose symbol table was not stripped: the adapters are not exported.

#include <link.h>
#include <tests/engine/nccl_profiler/driver.h>

#include <array>
#include <optional>

namespace rankscope::nccl::test {
namespace {

constexpr std::uint64_t kSequence = 7;

/// Where NCCL's getNcclProfiler_vN(void* library) lies; none: another NCCL, or without symbols.
std::optional<std::uintptr_t> shim_of(void* nccl, int version) {
    link_map* map = nullptr;
    if (dlinfo(nccl, RTLD_DI_LINKMAP, &map) != 0) {
        return std::nullopt;
    }
    const std::string command = "nm '" + std::string(map->l_name) + "' 2>/dev/null";
    FILE* symbols = popen(command.c_str(), "r");
    if (symbols == nullptr) {
        return std::nullopt;
    }
    std::optional<std::uintptr_t> found;
    const std::string wanted = "_Z18getNcclProfiler_v" + std::to_string(version) + "Pv";
    std::array<char, 4096> line{};
    std::array<char, 4096> name{};
    while (std::fgets(line.data(), static_cast<int>(line.size()), symbols) != nullptr) {
        unsigned long long address = 0;
        char kind = 0;
        if (std::sscanf(line.data(), "%llx %c %4095s", &address, &kind, name.data()) == 3 &&
            wanted == name.data()) {
            found = static_cast<std::uintptr_t>(map->l_addr + address);
        }
    }
    pclose(symbols);
    return found;
}

/// One collective with its call, a network operation and a kernel of one channel, as NCCL 2.28 reports it.
void replay(V5::Plugin& table, int version) {
    const Driver<V5> shapes;
    int mask = 0;
    void* context = nullptr;
    EXPECT_EQ(
        table.init(&context, 0x42 + static_cast<std::uint64_t>(version), &mask, "comm", 2, 8, 3, nullptr), 0);
    const auto start = [&](V5::Descriptor descriptor) {
        void* handle = nullptr;
        descriptor.rank = 3;
        EXPECT_EQ(table.start_event(context, &handle, &descriptor), 0);
        return handle;
    };
    const auto stop = [&](void* handle) {
        if (handle != nullptr) {
            EXPECT_EQ(table.stop_event(handle), 0);
        }
    };
    abi::StateArguments4 arguments{};
    void* group_api = start(shapes.group_api());
    void* call = start(shapes.coll_api(group_api));
    stop(call);
    void* group = start(shapes.of_type(abi::kGroup));
    auto coll = shapes.coll(kSequence, 1, call);
    coll.coll.group = group;
    void* collective = start(coll);
    stop(collective);
    stop(group);
    stop(group_api);
    void* network = start(shapes.proxy(collective, 1, true));
    if (network != nullptr) {
        EXPECT_EQ(table.record_state(network, 19, &arguments), 0);
    }
    stop(network);
    void* kernel = start(shapes.kernel(collective, 0, 5000));
    if (kernel != nullptr) {
        arguments.timer = 9000;
        EXPECT_EQ(table.record_state(kernel, abi::kKernelChStop, &arguments), 0);
    }
    stop(kernel);
    EXPECT_EQ(table.finalize(context), 0);
}

class NcclShims : public ::testing::TestWithParam<int> {};

TEST_P(NcclShims, EveryVersionArrivesThroughNcclsOwnAdapter) {
    const int version = GetParam();
    const char* named = std::getenv("RANKSCOPE_TEST_LIBNCCL");
    void* nccl = dlopen(named != nullptr ? named : "libnccl.so.2", RTLD_LAZY | RTLD_LOCAL);
    if (nccl == nullptr) {
        GTEST_SKIP() << "no libnccl here";
    }
    const auto shim = shim_of(nccl, version);
    const auto newest = shim_of(nccl, 5);
    if (!shim || !newest || shim_of(nccl, 6)) {
        GTEST_SKIP() << "this libnccl is not 2.28, or has no symbols";
    }
    const TemporaryFolder folder;
    EXPECT_TRUE(in_own_process([&] {
        observe_into(folder, "4");
        auto* table = reinterpret_cast<V5::Plugin* (*)(void*)>(*shim)(plugin_library());
        ASSERT_NE(table, nullptr);
        EXPECT_STREQ(table->name, "Rankscope");
        replay(*table, version);
        Reader reader = reader_of(folder);
        const auto records = reader.read().records;
        const auto enqueued = of_kind(records, RecordKind::enqueued);
        ASSERT_EQ(enqueued.size(), 1U);
        EXPECT_EQ(enqueued[0].api_version, version);
        EXPECT_EQ(enqueued[0].rank, 3);
        EXPECT_EQ(enqueued[0].sequence, kSequence);
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kFunctions, enqueued[0].function), "AllReduce");
        EXPECT_STREQ(nccl_ring::name_of(nccl_ring::kAlgorithms, enqueued[0].algorithm), "RING");
        // The adapters of versions 1 to 3 lose the communicator, those of 1 and 2 the kernels.
        EXPECT_EQ(enqueued[0].communicator, version >= 4 ? 0x42U + static_cast<unsigned>(version) : 0U);
        const auto finished = of_kind(records, RecordKind::finished);
        EXPECT_EQ(finished.size(), version >= 3 ? 1U : 0U);
        for (const auto& record : finished) {
            EXPECT_EQ(record.channels_done, 1);
            EXPECT_EQ(record.network_operations, 1U);
            if (version >= 4) {
                EXPECT_EQ(record.gpu_start_ns, 5000U);
                EXPECT_EQ(record.gpu_stop_ns, 9000U);
            }
        }
        EXPECT_EQ(of_kind(records, RecordKind::called).size(), version >= 5 ? 1U : 0U);
        EXPECT_TRUE(reader.open_operations().empty());
        EXPECT_EQ(reader.header().stale_handles, 0U);
    }));
}

INSTANTIATE_TEST_SUITE_P(Versions, NcclShims, ::testing::Range(1, 6));

}  // namespace
}  // namespace rankscope::nccl::test
