// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What only a GPU and its libraries can show; skipped with the reason where there is none.

#include <engine/backend/cuda/cuda_library.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>
#include <engine/cuda_check.h>

#include <nlohmann/json.hpp>
#include <tests/engine/cuda_arrays.h>

#include <array>
#include <string>
#include <vector>

namespace rankscope::engine::test {
namespace {

using cuda::test::Array;

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
    store.bye();
}

}  // namespace
}  // namespace rankscope::engine::test
