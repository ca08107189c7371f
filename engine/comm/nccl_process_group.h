// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/flight_recorder.h>
#include <engine/comm/process_group.h>
#include <engine/comm/store.h>

#include <chrono>
#include <memory>
#include <string>

namespace rankscope::engine {

struct NcclOptions {
    int rank = 0;
    int world_size = 1;
    int device = 0;  ///< CUDA device of this rank
    std::chrono::milliseconds connect_timeout{120000};
    /// Later than the watchdog's, which names the rank that is missing.
    std::chrono::milliseconds collective_timeout{660000};
    std::shared_ptr<FlightRecorder> recorder{};  ///< null: one of its own
};

/// The backend "nccl": memory is device memory unless said otherwise, and what fills it must have ended on
/// the device. The communicator is non-blocking: a rank that is missing or ends, and abort(), end in
/// PeerLostError, never in a hang. Recorded graphs that hold its operations must be gone before it.
/// Ranks that share a GPU must differ in NCCL_HOSTID, or NCCL refuses them. Throws Error when it does not
/// come about.
std::unique_ptr<ProcessGroup> make_nccl_process_group(const NcclOptions& options, Store& store);

}  // namespace rankscope::engine
