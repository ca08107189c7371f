// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/nccl_error.h>
#include <engine/error.h>

#include <string>

namespace rankscope::engine {

void nccl_check(ncclResult_t code, const char* what, ncclComm_t communicator) {
    if (code == ncclSuccess || code == ncclInProgress) {
        return;
    }
    std::string text = std::string("NCCL: ") + what + ": " + ncclGetErrorString(code);
    const char* const detail = ncclGetLastError(communicator);
    if (detail != nullptr && *detail != '\0') {
        text += std::string(" (") + detail + ")";
    }
    if (code == ncclRemoteError || code == ncclSystemError) {
        throw PeerLostError(text);
    }
    throw Error(text);
}

}  // namespace rankscope::engine
