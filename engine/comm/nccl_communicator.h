// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/abort_flag.h>

#include <nccl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace rankscope::engine {

/// A non-blocking communicator of NCCL; memory registered with it may outlive the process group.
class NcclCommunicator {
public:
    ncclComm_t handle = nullptr;
    /// Of registering and of asking for its state, which completes calls that continue in the background; not of
    /// collectives.
    std::mutex mutex;

    NcclCommunicator() = default;
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;
    ~NcclCommunicator() { abort(); }
    /// Abort, not destroy: destroying waits for the other ranks, which may be gone.
    void abort();
    /// The state of what continues in the background; throws as nccl_check(), PeerLostError after abort(). Only one
    /// thread may ask at a time: NCCL frees the finished call.
    ncclResult_t state(const char* what);
    /// A call may continue in the background: waits until it has a result. Throws PeerLostError after `timeout`.
    void settle(ncclResult_t code, std::chrono::milliseconds timeout, const AbortFlag& aborted,
                const char* what);
    /// For memory that NCCL may still work on in the background: released after abort().
    void keep_until_aborted(std::shared_ptr<void> memory);

private:
    std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace rankscope::engine
