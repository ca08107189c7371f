// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Needs a GPU; skipped with the reason where there is none.

#include <engine/backend/cuda/cuda_check.h>
#include <engine/backend/cuda/cuda_library.h>
#include <engine/backend/cuda/sgd_kernel.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/optim/sgd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <vector>

namespace rankscope::engine::test {
namespace {

class Cuda : public testing::Test {
protected:
    void SetUp() override {
        std::array<char, 256> why{};
        if (rankscope_cuda_device_count(why.data(), why.size()) == 0) {
            GTEST_SKIP() << "no GPU: " << why.data();
        }
    }
};

std::vector<float> from_device(const float* data, std::size_t count) {
    std::vector<float> values(count);
    cuda_check(cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
}

float* to_device(const std::vector<float>& values) {
    void* data = nullptr;
    cuda_check(cudaMalloc(&data, values.size() * sizeof(float)), "cudaMalloc");
    cuda_check(cudaMemcpy(data, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    return static_cast<float*>(data);
}

TEST_F(Cuda, DevicesDescribeThemselves) {
    std::array<char, 512> text{};
    ASSERT_TRUE(rankscope_cuda_device_json(0, text.data(), text.size()));
    EXPECT_GT(nlohmann::json::parse(text.data())["memory_bytes"].get<std::size_t>(), 0U);
}

TEST_F(Cuda, SgdEqualsTheCpus) {
    constexpr std::size_t kCount = 100003;
    const SgdOptions options{
        .lr = 0.05F, .momentum = 0.9F, .dampening = 0.0F, .weight_decay = 0.01F, .nesterov = true};
    std::vector<float> parameters(kCount);
    std::vector<float> gradients(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        parameters[i] = static_cast<float>(i % 13) - 6.0F;
        gradients[i] = static_cast<float>(i % 7) * 0.1F;
    }
    std::vector<float> buffer(kCount);
    float* p = to_device(parameters);
    float* g = to_device(gradients);
    float* b = to_device(buffer);
    for (int step = 0; step < 3; ++step) {
        sgd_update(options, step == 0, gradients, parameters, buffer);
        cuda_check(cuda_sgd_update(options, step == 0, kCount, g, p, b, nullptr), "sgd");
    }
    const std::vector<float> result = from_device(p, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_NEAR(result[i], parameters[i], 1e-5F);
    }
    for (float* data : {p, g, b}) {
        cudaFree(data);
    }
}

TEST_F(Cuda, NcclWorldOfOne) {
    TcpStoreServer server({.port = 0, .loopback_only = true, .token = "t", .world_size = 1});
    TcpStore store({.host = "127.0.0.1", .port = server.port(), .token = "t", .rank = 0, .world_size = 1});
    const auto group = make_nccl_process_group({.rank = 0, .world_size = 1, .device = 0}, store);
    float* values = to_device({1.0F, 2.0F, 3.0F});
    group->all_reduce_sum({values, 3}).wait();
    group->broadcast({values, 3}, 0);
    EXPECT_EQ(from_device(values, 3), (std::vector<float>{1.0F, 2.0F, 3.0F}));
    EXPECT_EQ(group->all_gather("abc"), std::vector<std::string>{"abc"});
    group->barrier();
    cudaFree(values);
    store.bye();
}

}  // namespace
}  // namespace rankscope::engine::test
