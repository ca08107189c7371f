// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/nccl_error.h>
#include <engine/comm/nccl_memory.h>
#include <engine/cuda_check.h>
#include <engine/error.h>

#include <mutex>
#include <string>
#include <utility>

#ifdef NCCL_WIN_COLL_SYMMETRIC
// A node may have an older NCCL than the one that was compiled with.
#pragma weak ncclCommWindowRegister
#pragma weak ncclCommWindowDeregister
#endif

namespace rankscope::engine {
namespace {

#ifdef NCCL_WIN_COLL_SYMMETRIC
constexpr int kFirstVersionWithWindows = NCCL_VERSION(2, 28, 7);

bool has_windows() {
    int version = 0;
    return ncclGetVersion(&version) == ncclSuccess && version >= kFirstVersionWithWindows &&
           ncclCommWindowRegister != nullptr && ncclCommWindowDeregister != nullptr;
}
#endif

/// What NCCL calls the memory: one of the two.
struct Registration {
    void* buffer = nullptr;
#ifdef NCCL_WIN_COLL_SYMMETRIC
    ncclWindow_t window = nullptr;
#endif
};

/// Allocated and registered; ends both in the order that NCCL wants.
class NcclMemory {
public:
    explicit NcclMemory(std::shared_ptr<NcclCommunicator> communicator, std::size_t bytes)
        : communicator_(std::move(communicator)), bytes_(bytes) {
        if (ncclMemAlloc(&data_, bytes_) != ncclSuccess) {
            const char* const detail = ncclGetLastError(nullptr);
            throw Error("out of GPU memory: " + std::to_string(bytes_ >> 20U) +
                        " MiB that NCCL works in (weights or gradients) is unavailable. A smaller model or "
                        "batch_size needs less." +
                        (detail == nullptr || *detail == '\0' ? "" : std::string(" (NCCL: ") + detail + ")"));
        }
    }
    NcclMemory(const NcclMemory&) = delete;
    NcclMemory& operator=(const NcclMemory&) = delete;
    ~NcclMemory() {
        {
            const std::lock_guard lock(communicator_->mutex);
            if (communicator_->handle != nullptr) {
                deregister();
            }
        }
        ncclMemFree(data_);
    }

    void register_with(std::chrono::milliseconds timeout, const AbortFlag& aborted) {
#ifdef NCCL_WIN_COLL_SYMMETRIC
        if (has_windows()) {
            try {
                settle(
                    [&](ncclComm_t handle) {
                        return ncclCommWindowRegister(handle, data_, bytes_, &registration_.window,
                                                      NCCL_WIN_COLL_SYMMETRIC);
                    },
                    timeout, aborted, "ncclCommWindowRegister");
            } catch (const PeerLostError&) {
                throw;
            } catch (const Error& error) {
                throw Error(std::string(error.what()) +
                            ". NCCL_WIN_ENABLE=0 in env: trains without symmetric windows.");
            }
            // Without windows in this topology 2.29 and later register nothing, 2.28 registers the buffer.
            if (registration_.window != nullptr) {
                return;
            }
        }
#endif
        settle(
            [&](ncclComm_t handle) { return ncclCommRegister(handle, data_, bytes_, &registration_.buffer); },
            timeout, aborted, "ncclCommRegister");
    }

    void* data() const {
        return data_;
    }

private:
    template <typename Call>
    void settle(const Call& call, std::chrono::milliseconds timeout, const AbortFlag& aborted,
                const char* what) {
        {
            const std::lock_guard lock(communicator_->mutex);
            nccl_check(call(communicator_->handle), what, communicator_->handle);
        }
        // Not by the result: ncclCommWindowRegister() reports success while it continues in the background.
        communicator_->settle(communicator_->state(what), timeout, aborted, what);
    }

    void deregister() {
#ifdef NCCL_WIN_COLL_SYMMETRIC
        if (registration_.window != nullptr) {
            ncclCommWindowDeregister(communicator_->handle, registration_.window);
        }
#endif
        if (registration_.buffer != nullptr) {
            ncclCommDeregister(communicator_->handle, registration_.buffer);
        }
    }

    std::shared_ptr<NcclCommunicator> communicator_;
    std::size_t bytes_ = 0;
    void* data_ = nullptr;
    Registration registration_;
};

}  // namespace

std::shared_ptr<float> allocate_for_nccl(const std::shared_ptr<NcclCommunicator>& communicator,
                                         std::size_t count, std::chrono::milliseconds timeout,
                                         const AbortFlag& aborted) {
    const std::size_t bytes = count * sizeof(float);
    const auto memory = std::make_shared<NcclMemory>(communicator, bytes);
    try {
        memory->register_with(timeout, aborted);
    } catch (...) {
        communicator->keep_until_aborted(memory);
        throw;
    }
    cuda_check(cudaMemset(memory->data(), 0, bytes), "cudaMemset");
    // The caller's streams do not wait for the default one, which this runs on.
    cuda_check(cudaStreamSynchronize(nullptr), "cudaMemset");
    return {memory, static_cast<float*>(memory->data())};
}

}  // namespace rankscope::engine
