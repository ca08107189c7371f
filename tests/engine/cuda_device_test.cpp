// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What only a GPU and its libraries can show; skipped with the reason where there is none.

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/backend/cuda/cuda_library.h>
#include <engine/backend/cuda/stream.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/cuda_check.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <tests/engine/cuda_arrays.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::engine::test {
namespace {

using cuda::test::Array;
using namespace std::chrono_literals;

class CudaDevice : public cuda::test::OnGpu {};

TEST_F(CudaDevice, DevicesDescribeThemselves) {
    std::array<char, 512> text{};
    ASSERT_TRUE(rankscope_cuda_device_json(0, text.data(), text.size()));
    EXPECT_GT(nlohmann::json::parse(text.data())["memory_bytes"].get<std::size_t>(), 0U);
}

TEST_F(CudaDevice, NcclWorldOfOne) {
    TcpStoreServer server({.port = 0, .address = "127.0.0.1", .token = "t", .world_size = 1});
    TcpStore store({.host = "127.0.0.1", .port = server.port(), .token = "t", .rank = 0, .world_size = 1});
    const auto group = make_nccl_process_group({.rank = 0, .world_size = 1, .device = 0}, store);
    const std::vector<float> numbers{1.0F, 2.0F, 3.0F};
    const Array values(ElementType::f32, numbers);
    group->all_reduce_sum({values.floats(), 3}).wait();
    group->broadcast({values.floats(), 3}, 0);
    EXPECT_EQ(values.values(), numbers);
    EXPECT_EQ(group->all_gather("abc"), std::vector<std::string>{"abc"});
    group->barrier();
    const std::shared_ptr<float> registered = group->allocate(1000);
    group->all_reduce_sum({registered.get(), 1000}).wait();
    std::vector<float> zeros(1000, 1.0F);
    cuda_check(
        cudaMemcpy(zeros.data(), registered.get(), zeros.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    EXPECT_EQ(zeros, std::vector<float>(1000, 0.0F));
    store.bye();
}

// Two processes on one GPU, as ranks that share one: each records a sum over both into a graph and runs it three times.
// (NCCL takes them for two hosts, or refuses them.)

constexpr const char* kRankVariable = "RANKSCOPE_TEST_RANK";
constexpr const char* kPortVariable = "RANKSCOPE_TEST_PORT";

/// A process of this program that runs the rank's part.
pid_t start_rank(int rank, std::uint16_t port) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    const std::string number = std::to_string(rank);
    setenv(kRankVariable, number.c_str(), 1);
    setenv(kPortVariable, std::to_string(port).c_str(), 1);
    setenv("NCCL_HOSTID", ("rank-" + number).c_str(), 1);
    setenv("NCCL_SOCKET_IFNAME", "lo", 1);
    setenv("NCCL_IB_DISABLE", "1", 1);
    setenv("NCCL_MNNVL_ENABLE", "0", 1);
    setenv("NCCL_MAX_CTAS", "2", 1);
    execl("/proc/self/exe", "engine_cuda_test", "--gtest_filter=NcclPair.DISABLED_Rank",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(127);
}

TEST(NcclPair, DISABLED_Rank) {
    const char* const rank_text = std::getenv(kRankVariable);
    const char* const port_text = std::getenv(kPortVariable);
    if (rank_text == nullptr || port_text == nullptr) {
        GTEST_SKIP() << "a part of NcclTwoProcesses, which starts it";
    }
    const int rank = std::atoi(rank_text);
    TcpStore store({.host = "127.0.0.1",
                    .port = static_cast<std::uint16_t>(std::atoi(port_text)),
                    .token = "t",
                    .rank = rank,
                    .world_size = 2});
    std::shared_ptr<float> memory;
    {
        const auto group = make_nccl_process_group(
            {.rank = rank, .world_size = 2, .device = 0, .connect_timeout = 30s}, store);
        constexpr std::size_t kCount = 5000;
        memory = group->allocate(kCount);
        const auto set = [&](float value) {
            const std::vector<float> values(kCount, value);
            cuda_check(
                cudaMemcpy(memory.get(), values.data(), kCount * sizeof(float), cudaMemcpyHostToDevice),
                "cudaMemcpy");
            cuda_check(cudaStreamSynchronize(nullptr), "cudaMemcpy");
        };
        const auto values = [&] {
            std::vector<float> result(kCount);
            cuda_check(
                cudaMemcpy(result.data(), memory.get(), kCount * sizeof(float), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
            return result;
        };
        const Piece piece{memory.get(), kCount};
        set(static_cast<float>(rank + 1));
        group->all_reduce({.pieces = {&piece, 1}}).wait();  // connections are made now
        EXPECT_EQ(values(), std::vector<float>(kCount, 3.0F));
        set(static_cast<float>(rank + 1));
        const cuda::Stream stream;
        {
            const cuda::CudaGraph graph(stream.get(), [&] {
                group->enqueue({.pieces = {&piece, 1}}, stream.get());
            });
            for (int i = 0; i < 3; ++i) {
                graph.launch(stream.get());
            }
            stream.wait();
        }
        EXPECT_EQ(values(), std::vector<float>(kCount, 12.0F));
        const Piece half{memory.get(), kCount / 2};
        group->all_reduce({.pieces = {&half, 1}, .scale = 0.5F}).wait();
        EXPECT_EQ(values(), std::vector<float>(kCount, 12.0F));
        group->barrier();
    }
    memory.reset();  // after its group
    store.bye();
}

TEST_F(CudaDevice, NcclTwoProcessesRecordAndReplayASum) {
    TcpStoreServer server({.port = 0, .address = "127.0.0.1", .token = "t", .world_size = 2});
    const std::array<pid_t, 2> ranks{start_rank(0, server.port()), start_rank(1, server.port())};
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    std::array<std::optional<int>, 2> ended;
    while (std::any_of(ended.begin(), ended.end(), [](const auto& one) { return !one; })) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            int status = 0;
            if (!ended[rank] && waitpid(ranks[rank], &status, WNOHANG) == ranks[rank]) {
                ended[rank] = status;
            }
        }
        // One that fails leaves the other waiting; neither may stay on the GPU.
        const bool failed =
            std::any_of(ended.begin(), ended.end(), [](const auto& one) { return one.value_or(0) != 0; });
        if (failed || std::chrono::steady_clock::now() > deadline) {
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                if (!ended[rank]) {
                    kill(ranks[rank], SIGKILL);
                }
            }
        }
        std::this_thread::sleep_for(10ms);
    }
    for (const auto& status : ended) {
        EXPECT_EQ(*status, 0);
    }
}

}  // namespace
}  // namespace rankscope::engine::test
