// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/nccl_communicator.h>
#include <engine/comm/nccl_error.h>
#include <engine/error.h>

#include <string>
#include <thread>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kNap = 50us;

}  // namespace

void NcclCommunicator::abort() {
    std::vector<std::shared_ptr<void>> released;  // without the lock, which memory takes to end
    const std::lock_guard lock(mutex);
    if (handle != nullptr) {
        ncclCommAbort(handle);
        handle = nullptr;
    }
    released.swap(kept_);
}

void NcclCommunicator::keep_until_aborted(std::shared_ptr<void> memory) {
    const std::lock_guard lock(mutex);
    if (handle != nullptr) {
        kept_.push_back(std::move(memory));
    }
}

ncclResult_t NcclCommunicator::state(const char* what) {
    const std::lock_guard lock(mutex);
    if (handle == nullptr) {
        throw PeerLostError("NCCL: the communicator was aborted");
    }
    ncclResult_t code = ncclSuccess;
    nccl_check(ncclCommGetAsyncError(handle, &code), what, handle);
    nccl_check(code, what, handle);
    return code;
}

void NcclCommunicator::settle(ncclResult_t code, std::chrono::milliseconds timeout, const AbortFlag& aborted,
                              const char* what) {
    nccl_check(code, what, handle);
    const auto deadline = Clock::now() + timeout;
    while (code == ncclInProgress) {
        aborted.check();
        if (Clock::now() > deadline) {
            throw PeerLostError(std::string("NCCL: ") + what + " did not end within " +
                                std::to_string(timeout.count() / 1000) +
                                " s: a rank is missing, or its port is closed");
        }
        std::this_thread::sleep_for(kNap);
        code = state(what);
    }
}

}  // namespace rankscope::engine
