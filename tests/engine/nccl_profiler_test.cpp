// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Drives librankscope-nccl.so as NCCL does: opens it, takes its tables, calls them from several threads.

#include <engine/nccl_profiler/abi.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/engine/temporary_folder.h>

#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

namespace rankscope::nccl {
namespace {

using engine::test::read_file;
using engine::test::TemporaryFolder;
using nlohmann::json;

struct Close {
    void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Close>;

template <typename Plugin>
Plugin* table(const Library& library, const char* name) {
    return static_cast<Plugin*>(dlsym(library.get(), name));
}

Library open_plugin() {
    Library library(dlopen(RANKSCOPE_NCCL_PLUGIN, RTLD_NOW | RTLD_LOCAL));
    EXPECT_NE(library, nullptr) << dlerror();
    return library;
}

std::vector<json> lines_of(const std::filesystem::path& file) {
    std::vector<json> lines;
    std::istringstream in(read_file(file));
    for (std::string line; std::getline(in, line);) {
        lines.push_back(json::parse(line));
    }
    return lines;
}

/// One file for the whole program: as with NCCL, the library reads its variable once per process.
const std::filesystem::path& events_file() {
    static const TemporaryFolder folder;
    static const std::filesystem::path file = folder / "events";
    return file;
}

class NcclProfiler : public testing::Test {
protected:
    void SetUp() override { setenv("RANKSCOPE_NCCL_EVENTS", events_file().c_str(), 1); }
};

abi::Descriptor5 all_reduce(std::uint64_t sequence) {
    abi::Descriptor5 descriptor{};
    descriptor.type = abi::kColl;
    descriptor.coll.fields = {.sequence = sequence,
                              .function = "AllReduce",
                              .send = nullptr,
                              .receive = nullptr,
                              .count = 1000,
                              .root = 0,
                              .datatype = "ncclFloat32",
                              .channels = 2,
                              .warps = 4,
                              .algorithm = "RING",
                              .protocol = "LL128"};
    return descriptor;
}

TEST_F(NcclProfiler, SilentWithoutItsVariable) {
    unsetenv("RANKSCOPE_NCCL_EVENTS");
    const Library library = open_plugin();
    auto* plugin = table<abi::Plugin5>(library, "ncclProfiler_v5");
    ASSERT_NE(plugin, nullptr);
    int mask = 77;
    void* context = &mask;
    EXPECT_EQ(plugin->init(&context, 1, &mask, "c", 1, 2, 0, nullptr), 0);
    EXPECT_EQ(mask, 0);
    abi::Descriptor5 descriptor = all_reduce(0);
    void* handle = &mask;
    EXPECT_EQ(plugin->start_event(context, &handle, &descriptor), 0);
    EXPECT_EQ(handle, nullptr);
}

TEST_F(NcclProfiler, ACollectiveFromCallToGpuEnd) {
    const Library library = open_plugin();
    for (const char* name : {"ncclProfiler_v5", "ncclProfiler_v6"}) {
        auto* plugin = table<abi::Plugin5>(library, name);
        ASSERT_NE(plugin, nullptr);
        EXPECT_STREQ(plugin->name, "Rankscope");
        int mask = 0;
        void* context = nullptr;
        ASSERT_EQ(plugin->init(&context, 0xABCDEF0123, &mask, "comm", 2, 8, 3, nullptr), 0);
        EXPECT_EQ(mask, static_cast<int>(abi::kColl | abi::kP2p | abi::kKernelCh));
        abi::Descriptor5 descriptor = all_reduce(41);
        void* coll = nullptr;
        plugin->start_event(context, &coll, &descriptor);
        ASSERT_NE(coll, nullptr);
        plugin->stop_event(coll);
        for (const std::uint64_t channel : {0U, 1U}) {
            abi::Descriptor5 kernel{};
            kernel.type = abi::kKernelCh;
            kernel.parent = coll;
            kernel.kernel = {static_cast<std::uint8_t>(channel), 5000 + channel};
            void* handle = nullptr;
            plugin->start_event(context, &handle, &kernel);
            abi::StateArguments arguments{};
            arguments.timer = 9000 + channel;
            plugin->record_state(handle, abi::kKernelChStop, &arguments);
            plugin->stop_event(handle);
        }
        plugin->finalize(context);
        const std::vector<json> lines = lines_of(events_file());
        ASSERT_GE(lines.size(), 3U);
        const json& start = lines[lines.size() - 3];
        EXPECT_EQ(start["nccl"], "start");
        EXPECT_EQ(start["comm"], "0xabcdef0123");
        EXPECT_EQ(start["op"], "AllReduce");
        EXPECT_EQ(start["seq"], 41);
        EXPECT_EQ(start["rank"], 3);
        EXPECT_EQ(start["ranks"], 8);
        EXPECT_EQ(start["bytes"], 4000);
        EXPECT_EQ(start["proto"], "LL128");
        EXPECT_EQ(lines[lines.size() - 2]["nccl"], "enqueued");
        const json& gpu = lines.back();
        EXPECT_EQ(gpu["nccl"], "gpu");
        EXPECT_EQ(gpu["id"], start["id"]);
        EXPECT_EQ(gpu["gpu_start_ns"], 5000);
        EXPECT_EQ(gpu["gpu_stop_ns"], 9001);
    }
}

TEST_F(NcclProfiler, Version4AndPointToPoint) {
    const Library library = open_plugin();
    auto* plugin = table<abi::Plugin4>(library, "ncclProfiler_v4");
    ASSERT_NE(plugin, nullptr);
    int mask = 0;
    void* context = nullptr;
    ASSERT_EQ(plugin->init(&context, &mask, nullptr, 0x77, 1, 2, 1, nullptr), 0);
    for (std::uint64_t n = 0; n < 3; ++n) {
        abi::Descriptor4 descriptor{};
        descriptor.type = abi::kP2p;
        descriptor.p2p = {.function = "Send",
                          .buffer = nullptr,
                          .datatype = "ncclBfloat16",
                          .count = 10,
                          .peer = 0,
                          .channels = 1};
        void* handle = nullptr;
        plugin->start_event(context, &handle, &descriptor);
        plugin->stop_event(handle);
    }
    plugin->finalize(context);
    const std::vector<json> lines = lines_of(events_file());
    ASSERT_GE(lines.size(), 6U);
    const json& last = lines[lines.size() - 2];
    EXPECT_EQ(last["op"], "Send");
    EXPECT_EQ(last["peer"], 0);
    EXPECT_EQ(last["seq"], 2);  // counted per peer and direction, as NCCL does not
    EXPECT_EQ(last["bytes"], 20);
}

TEST_F(NcclProfiler, StaleForeignAndMissingHandlesAreIgnored) {
    const Library library = open_plugin();
    auto* plugin = table<abi::Plugin5>(library, "ncclProfiler_v5");
    int mask = 0;
    void* context = nullptr;
    plugin->init(&context, 5, &mask, "c", 1, 2, 0, nullptr);
    abi::Descriptor5 descriptor = all_reduce(0);
    void* old = nullptr;
    plugin->start_event(context, &old, &descriptor);
    for (int i = 0; i < 5000; ++i) {  // more operations than the table holds
        void* handle = nullptr;
        plugin->start_event(context, &handle, &descriptor);
    }
    abi::Descriptor5 kernel{};
    kernel.type = abi::kKernelCh;
    kernel.parent = old;
    void* handle = &mask;
    EXPECT_EQ(plugin->start_event(context, &handle, &kernel), 0);
    EXPECT_EQ(handle, nullptr);
    EXPECT_EQ(plugin->stop_event(nullptr), 0);
    EXPECT_EQ(plugin->stop_event(old), 0);
    EXPECT_EQ(plugin->stop_event(&mask), 0);
    EXPECT_EQ(plugin->record_state(&mask, abi::kKernelChStop, nullptr), 0);
    EXPECT_EQ(plugin->start_event(&mask, &handle, &descriptor), 0);
    EXPECT_EQ(plugin->start_event(nullptr, &handle, &descriptor), 0);
    EXPECT_EQ(plugin->finalize(nullptr), 0);
    plugin->finalize(context);
}

TEST_F(NcclProfiler, ManyThreadsLoseNothingThatFits) {
    const Library library = open_plugin();
    auto* plugin = table<abi::Plugin5>(library, "ncclProfiler_v5");
    constexpr int kThreads = 4;
    constexpr std::uint64_t kEach = 300;
    std::vector<void*> contexts(kThreads);
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                int mask = 0;
                plugin->init(&contexts[t], 0x1000 + t, &mask, "c", 1, 4, static_cast<int>(t), nullptr);
                for (std::uint64_t n = 0; n < kEach; ++n) {
                    abi::Descriptor5 descriptor = all_reduce(n);
                    void* handle = nullptr;
                    plugin->start_event(contexts[t], &handle, &descriptor);
                    plugin->stop_event(handle);
                }
            });
        }
    }
    plugin->finalize(contexts[0]);
    std::map<std::string, std::uint64_t> starts;
    for (const json& line : lines_of(events_file())) {
        if (line["nccl"] == "start") {
            ++starts[line["comm"]];
        }
    }
    for (const char* comm : {"0x1000", "0x1001", "0x1002", "0x1003"}) {
        EXPECT_EQ(starts[comm], kEach);
    }
}

}  // namespace
}  // namespace rankscope::nccl
