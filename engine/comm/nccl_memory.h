// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/nccl_communicator.h>

#include <chrono>
#include <cstddef>
#include <memory>

namespace rankscope::engine {

/// Zero-filled GPU memory that NCCL works in without copies. Where NCCL is 2.28.7 or later it is a symmetric window, which
/// GPUs that are all connected by NVLink read and write directly (NCCL decides; elsewhere, and before 2.28.7, it is
/// registered like any user buffer). 2.27 has windows too, but its kernels could add up small parts of a group wrongly
/// (release notes of 2.28.7). Collective: all ranks call with the same count, in the same order. NCCL_WIN_ENABLE=0
/// switches windows off. Throws Error when memory or the window is unavailable, PeerLostError when a rank is missing.
/// The memory may outlive the communicator.
std::shared_ptr<float> allocate_for_nccl(const std::shared_ptr<NcclCommunicator>& communicator,
                                         std::size_t count, std::chrono::milliseconds timeout,
                                         const AbortFlag& aborted);

}  // namespace rankscope::engine
