// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_check.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/work_queue.h>
#include <engine/error.h>

#include <nccl.h>

#include <cstring>
#include <functional>
#include <thread>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

/// Device memory that frees itself.
class DeviceBytes {
public:
    explicit DeviceBytes(std::size_t bytes) { cuda_check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
    ~DeviceBytes() { cudaFree(data_); }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    void* data() const { return data_; }

private:
    void* data_ = nullptr;
};

class NcclProcessGroup final : public ProcessGroup {
public:
    NcclProcessGroup(const NcclOptions& options, Store& store) : options_(options) {
        cuda_check(cudaSetDevice(options.device), "cudaSetDevice");
        cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        ncclUniqueId id{};
        if (options.rank == 0) {
            check(ncclGetUniqueId(&id), "ncclGetUniqueId");
            store.set("nccl/id", std::string(id.internal, sizeof(id.internal)));
        } else {
            const auto text = store.get("nccl/id", options.connect_timeout);
            if (!text || text->size() != sizeof(id.internal)) {
                throw Error("rank 0 did not publish its NCCL id in time");
            }
            std::memcpy(id.internal, text->data(), sizeof(id.internal));
        }
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        settle(ncclCommInitRankConfig(&communicator_, options.world_size, id, options.rank, &config),
               options.connect_timeout, "ncclCommInitRankConfig");
    }

    ~NcclProcessGroup() override {
        // Abort, not destroy: destroying waits for the other ranks, which may be gone.
        if (communicator_ != nullptr) {
            ncclCommAbort(communicator_);
        }
        cudaStreamDestroy(stream_);
    }

    int rank() const override { return options_.rank; }
    int size() const override { return options_.world_size; }

    Work all_reduce_sum(std::span<float> values) override {
        return queue_.submit([this, values] {
            complete([&] {
                return ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, ncclSum,
                                     communicator_, stream_);
            });
        });
    }

    void broadcast(std::span<float> values, int root) override {
        queue_
            .submit([this, values, root] {
                complete([&] {
                    return ncclBroadcast(values.data(), values.data(), values.size(), ncclFloat32, root,
                                         communicator_, stream_);
                });
            })
            .wait();
    }

    std::vector<std::string> all_gather(const std::string& bytes) override {
        std::vector<std::string> result(static_cast<std::size_t>(size()), std::string(bytes.size(), '\0'));
        queue_.submit([&] { gather(bytes, result); }).wait();
        return result;
    }

    void barrier() override { all_gather("."); }

private:
    void gather(const std::string& bytes, std::vector<std::string>& result) {
        cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
        const DeviceBytes mine(bytes.size());
        const DeviceBytes all(bytes.size() * result.size());
        cuda_check(cudaMemcpy(mine.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
        complete([&] {
            return ncclAllGather(mine.data(), all.data(), bytes.size(), ncclInt8, communicator_, stream_);
        });
        std::string joined(bytes.size() * result.size(), '\0');
        cuda_check(cudaMemcpy(joined.data(), all.data(), joined.size(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        for (std::size_t rank = 0; rank < result.size(); ++rank) {
            result[rank] = joined.substr(rank * bytes.size(), bytes.size());
        }
    }

    static void check(ncclResult_t code, const char* what) {
        if (code != ncclSuccess) {
            throw Error(std::string("NCCL: ") + what + ": " + ncclGetErrorString(code));
        }
    }

    /// Enqueues an operation and waits for its end on the device.
    void complete(const std::function<ncclResult_t()>& start) {
        cuda_check(cudaSetDevice(options_.device), "cudaSetDevice");
        const auto deadline = Clock::now() + options_.collective_timeout;
        settle(start(), options_.collective_timeout, "collective");
        for (cudaError_t state = cudaErrorNotReady; state != cudaSuccess;) {
            state = cudaStreamQuery(stream_);
            if (state != cudaSuccess && state != cudaErrorNotReady) {
                cuda_check(state, "collective");
            }
            ncclResult_t asynchronous = ncclSuccess;
            check(ncclCommGetAsyncError(communicator_, &asynchronous), "ncclCommGetAsyncError");
            if (asynchronous != ncclInProgress) {
                check(asynchronous, "collective");
            }
            if (state != cudaSuccess && Clock::now() > deadline) {
                throw Error("NCCL: a collective did not end in time: another rank hangs or is gone");
            }
        }
    }

    /// A non-blocking call may go on in the background: waits until it has come to something.
    void settle(ncclResult_t code, std::chrono::milliseconds timeout, const char* what) {
        const auto deadline = Clock::now() + timeout;
        while (code == ncclInProgress) {
            if (Clock::now() > deadline) {
                throw Error(std::string("NCCL: ") + what + " did not end within " +
                            std::to_string(timeout.count() / 1000) +
                            " s: a rank is missing, or its port is closed");
            }
            std::this_thread::yield();
            check(ncclCommGetAsyncError(communicator_, &code), what);
        }
        check(code, what);
    }

    NcclOptions options_;
    cudaStream_t stream_ = nullptr;
    ncclComm_t communicator_ = nullptr;
    WorkQueue queue_;  // last: its thread uses the communicator
};

}  // namespace

std::unique_ptr<ProcessGroup> make_nccl_process_group(const NcclOptions& options, Store& store) {
    return std::make_unique<NcclProcessGroup>(options, store);
}

}  // namespace rankscope::engine
