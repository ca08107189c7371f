// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nccl.h>

namespace rankscope::engine {

/// Throws what a result of NCCL means, in NCCL's own words with its last message: PeerLostError where another rank or
/// the network can be the reason (ncclRemoteError, ncclSystemError), Error for all others (wrong use, memory, CUDA).
/// ncclSuccess and ncclInProgress are no errors.
void nccl_check(ncclResult_t code, const char* what, ncclComm_t communicator = nullptr);

}  // namespace rankscope::engine
