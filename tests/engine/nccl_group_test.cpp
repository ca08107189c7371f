// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The process group "nccl" without a GPU: CUDA is emulated, and NCCL is a world of ranks that all have this one's values.

#include <engine/comm/nccl_process_group.h>
#include <engine/comm/process_group.h>
#include <engine/comm/store.h>
#include <engine/cuda_check.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <nccl.h>
#include <tests/engine/emulated_cuda/emulated_stream.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kWorld = 4;

/// What the replaced functions of NCCL do, and what was called.
struct World {
    int version = NCCL_VERSION(2, 28, 9);
    bool has_window_support = true;            ///< of the topology
    ncclResult_t window_result = ncclSuccess;  ///< of registering
    int pending_answers = 0;                   ///< so often "in progress" before a call has a result
    bool has_memory = true;
    std::vector<std::string> calls;
    std::vector<ncclRedOp_t> operations;
    std::map<int, float> factors;  ///< of operations that multiply first
    int alive = 0;                 ///< communicators
    int windows = 0;
    int buffers = 0;
    std::map<void*, std::size_t> memory;
};
World world;
std::atomic<int> pending{0};

ncclResult_t later() {
    pending = world.pending_answers;
    return pending > 0 ? ncclInProgress : ncclSuccess;
}

/// As ncclCommEnsureReady(): a call before the one in the background has ended is an error.
ncclResult_t ready() {
    return pending > 0 ? ncclInvalidArgument : ncclSuccess;
}

float factor_of(ncclRedOp_t operation) {
    if (operation == ncclAvg) {
        return 1.0F;
    }
    return operation == ncclSum ? kWorld : kWorld * world.factors.at(operation);
}

ncclComm_t some_communicator() {
    static int one = 0;
    return reinterpret_cast<ncclComm_t>(&one);
}

}  // namespace

// In place of NCCL's.
extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    *version = world.version;
    return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t code) {
    return code == ncclUnhandledCudaError ? "unhandled cuda error" : "error";
}
const char* ncclGetLastError(ncclComm_t) {
    return "";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    std::memset(id, 7, sizeof(*id));
    return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int, ncclUniqueId, int, ncclConfig_t* config) {
    EXPECT_EQ(config->blocking, 0);
    *communicator = some_communicator();
    ++world.alive;
    return later();
}
ncclResult_t ncclCommSplit(ncclComm_t, int, int, ncclComm_t* part, ncclConfig_t*) {
    *part = some_communicator();
    ++world.alive;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t) {
    world.calls.emplace_back("abort");
    --world.alive;
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* code) {
    *code = pending > 0 && --pending > 0 ? ncclInProgress : ncclSuccess;
    return ncclSuccess;
}
ncclResult_t ncclMemAlloc(void** data, std::size_t bytes) {
    if (!world.has_memory || cudaMalloc(data, bytes) != cudaSuccess) {
        return ncclUnhandledCudaError;
    }
    world.memory[*data] = bytes;
    return ncclSuccess;
}
ncclResult_t ncclMemFree(void* data) {
    world.calls.emplace_back("free");
    world.memory.erase(data);
    cudaFree(data);
    return ncclSuccess;
}
ncclResult_t ncclCommRegister(ncclComm_t, void* data, std::size_t bytes, void** handle) {
    EXPECT_EQ(world.memory.at(data), bytes);
    world.calls.emplace_back("register");
    ++world.buffers;
    *handle = data;
    return ready();
}
ncclResult_t ncclCommDeregister(ncclComm_t, void*) {
    world.calls.emplace_back("deregister");
    --world.buffers;
    return ncclSuccess;
}
ncclResult_t ncclCommWindowRegister(ncclComm_t, void* data, std::size_t bytes, ncclWindow_t* window,
                                    int flags) {
    EXPECT_EQ(world.memory.at(data), bytes);
    EXPECT_EQ(flags, NCCL_WIN_COLL_SYMMETRIC);
    world.calls.emplace_back("register window");
    if (ready() != ncclSuccess) {
        return ready();
    }
    if (world.window_result != ncclSuccess) {
        return world.window_result;
    }
    if (world.has_window_support) {
        ++world.windows;
        *window = static_cast<ncclWindow_t>(data);
    }
    later();
    return ncclSuccess;  // although it continues in the background: NCCL 2.28 to 2.30
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t window) {
    EXPECT_NE(window, nullptr);
    world.calls.emplace_back("deregister window");
    --world.windows;
    return ncclSuccess;
}
ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t, ncclComm_t) {
    EXPECT_EQ(type, ncclFloat32);
    *operation = static_cast<ncclRedOp_t>(ncclNumOps + world.factors.size());
    world.factors[*operation] = *static_cast<float*>(scalar);
    return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t) {
    EXPECT_EQ(world.factors.count(operation), 1U);
    return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    return later();
}
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t, cudaStream_t stream) {
    if (ready() != ncclSuccess) {
        return ready();
    }
    world.operations.push_back(operation);
    const float factor = factor_of(operation);
    emulated::enqueue(stream, [=] {
        if (type == ncclFloat64) {
            std::transform(static_cast<const double*>(from), static_cast<const double*>(from) + count,
                           static_cast<double*>(to), [=](double value) { return value * factor; });
        } else {
            ASSERT_EQ(type, ncclFloat32);
            std::transform(static_cast<const float*>(from), static_cast<const float*>(from) + count,
                           static_cast<float*>(to), [=](float value) { return value * factor; });
        }
    });
    return ncclSuccess;
}
ncclResult_t ncclBroadcast(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
    return ncclSuccess;
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t, ncclComm_t,
                           cudaStream_t stream) {
    emulated::enqueue(stream, [=] {
        for (std::size_t rank = 0; rank < kWorld; ++rank) {
            std::memcpy(static_cast<char*>(to) + rank * count, from, count);
        }
    });
    return ncclSuccess;
}

}  // extern "C"

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;

/// Rank 0 only writes.
class WrittenStore final : public Store {
public:
    void set(const std::string& key, const std::string& value) override { values[key] = value; }
    std::optional<std::string> get(const std::string& key, std::chrono::milliseconds) override {
        const auto found = values.find(key);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    }
    std::int64_t add(const std::string&, std::int64_t delta) override { return delta; }
    std::vector<bool> check(const std::vector<std::string>& keys) override {
        return std::vector<bool>(keys.size(), true);
    }

    std::map<std::string, std::string> values;
};

class NcclGroupOfEqualRanks : public ::testing::Test {
protected:
    void SetUp() override { world = World(); }
    void TearDown() override {
        EXPECT_EQ(world.alive, 0);
        EXPECT_EQ(world.memory.size(), 0U);
    }

    std::unique_ptr<ProcessGroup> make(std::chrono::milliseconds timeout = 10s) {
        return make_nccl_process_group({.rank = 0, .world_size = kWorld, .connect_timeout = timeout}, store);
    }
    static long called(const std::string& what) {
        return std::count(world.calls.begin(), world.calls.end(), what);
    }

    WrittenStore store;
};

TEST_F(NcclGroupOfEqualRanks, MemoryIsASymmetricWindow) {
    world.pending_answers = 3;
    auto group = make();
    std::shared_ptr<float> memory = group->allocate(1000);
    EXPECT_EQ(std::count(memory.get(), memory.get() + 1000, 0.0F), 1000);
    EXPECT_EQ(world.windows, 1);
    EXPECT_EQ(called("register"), 0);
    memory.reset();
    EXPECT_EQ(world.windows, 0);
    EXPECT_EQ(world.calls, (std::vector<std::string>{"register window", "deregister window", "free"}));
}

TEST_F(NcclGroupOfEqualRanks, ATopologyWithoutWindowsRegistersTheBuffer) {
    world.has_window_support = false;
    auto group = make();
    group->allocate(1000).reset();
    EXPECT_EQ(world.calls, (std::vector<std::string>{"register window", "register", "deregister", "free"}));
}

TEST_F(NcclGroupOfEqualRanks, OlderVersionsRegisterTheBuffer) {
    for (const int version : {NCCL_VERSION(2, 26, 5), NCCL_VERSION(2, 27, 7), NCCL_VERSION(2, 28, 3)}) {
        world = World();
        world.version = version;
        auto group = make();
        group->allocate(1000).reset();
        EXPECT_EQ(world.calls, (std::vector<std::string>{"register", "deregister", "free"})) << version;
        EXPECT_EQ(world.buffers, 0);
    }
}

TEST_F(NcclGroupOfEqualRanks, AWindowThatFailsNamesTheSwitch) {
    world.window_result = ncclUnhandledCudaError;
    auto group = make();
    try {
        group->allocate(1000);
        FAIL() << "accepted";
    } catch (const PeerLostError& error) {
        FAIL() << "no rank is lost: " << error.what();
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("ncclCommWindowRegister"), std::string::npos) << text;
        EXPECT_NE(text.find("NCCL_WIN_ENABLE=0"), std::string::npos) << text;
    }
}

// NCCL may still write the window's handle while the rank gives up: the memory stays until the communicator is gone.
TEST_F(NcclGroupOfEqualRanks, MemoryOfAWindowThatNeverComesStaysUntilTheAbort) {
    auto group = make(50ms);
    world.pending_answers = 1 << 30;
    EXPECT_THROW(group->allocate(1000), PeerLostError);
    EXPECT_EQ(world.memory.size(), 1U);
    group.reset();
    EXPECT_EQ(world.memory.size(), 0U);
    EXPECT_EQ(world.calls, (std::vector<std::string>{"register window", "abort", "free"}));
}

TEST_F(NcclGroupOfEqualRanks, MemoryMayOutliveTheGroup) {
    auto group = make();
    std::shared_ptr<float> memory = group->allocate(1000);
    group.reset();
    EXPECT_EQ(world.memory.size(), 1U);
    memory.reset();
    EXPECT_EQ(world.calls, (std::vector<std::string>{"register window", "abort", "free"}));
}

TEST_F(NcclGroupOfEqualRanks, NoMemoryIsReportedWithItsSize) {
    auto group = make();
    world.has_memory = false;
    try {
        group->allocate(std::size_t{8} << 20U);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("32 MiB"), std::string::npos) << error.what();
    }
}

TEST_F(NcclGroupOfEqualRanks, OnlyAPlainSumIsNcclSum) {
    world.pending_answers = 2;
    auto group = make();
    const std::shared_ptr<float> memory = group->allocate(8);
    const Piece piece{memory.get(), 8};
    const auto reduced = [&](float scale) {
        std::fill_n(memory.get(), 8, 3.0F);
        group->all_reduce({.pieces = {&piece, 1}, .scale = scale}).wait();
        return std::vector<float>(memory.get(), memory.get() + 8);
    };
    EXPECT_EQ(reduced(1.0F), std::vector<float>(8, 12.0F));
    EXPECT_EQ(world.operations.back(), ncclSum);
    EXPECT_EQ(reduced(0.25F), std::vector<float>(8, 3.0F));
    EXPECT_EQ(world.operations.back(), ncclAvg);
    EXPECT_EQ(reduced(0.5F), std::vector<float>(8, 6.0F));
    EXPECT_GE(world.operations.back(), ncclNumOps);
    std::vector<double> sums{1.5, 2.5};
    group->sum(std::span(sums));
    EXPECT_EQ(sums, (std::vector<double>{6.0, 10.0}));
    EXPECT_EQ(group->all_gather("ab"), std::vector<std::string>(kWorld, "ab"));
    group->barrier();
    const auto part = group->split(1);
    EXPECT_EQ(part->size(), kWorld);
}

}  // namespace
}  // namespace rankscope::engine::test
