// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/comm/store.h>

#include <chrono>
#include <memory>

namespace rankscope::engine {

struct NcclOptions {
    int rank = 0;
    int world_size = 1;
    int device = 0;  ///< CUDA device of this rank
    std::chrono::milliseconds connect_timeout{120000};
    std::chrono::milliseconds collective_timeout{600000};  ///< as PyTorch's for NCCL
};

/// NCCL behind the process group's interface; spans are device memory. The communicator is non-blocking: a
/// rank that is missing or dies ends in an error within the time-out, never in a hang. Throws Error when it
/// does not come about.
std::unique_ptr<ProcessGroup> make_nccl_process_group(const NcclOptions& options, Store& store);

}  // namespace rankscope::engine
