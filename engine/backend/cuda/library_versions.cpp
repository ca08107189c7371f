// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/library_versions.h>
#include <engine/error.h>

#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

namespace rankscope::engine::cuda {
namespace {

/// 91900 → "9.19.0"; 130001 → "13.0.1"; 22809 → "2.28.9".
std::string dotted(std::size_t version) {
    constexpr std::size_t kMajor = 10000;
    constexpr std::size_t kMinor = 100;
    return std::to_string(version / kMajor) + "." + std::to_string(version % kMajor / kMinor) + "." +
           std::to_string(version % kMinor);
}

}  // namespace

std::string library_versions() {
    int nccl = 0;
    const bool known = ncclGetVersion(&nccl) == ncclSuccess;
    return "cuDNN " + dotted(cudnnGetVersion()) + ", cuBLASLt " + dotted(cublasLtGetVersion()) +
           (known ? ", NCCL " + dotted(static_cast<std::size_t>(nccl)) : "");
}

void check_libraries() {
    constexpr std::size_t kOldest = 90800;  // device property descriptors
    if (cudnnGetVersion() < kOldest) {
        throw Error("cuDNN " + dotted(cudnnGetVersion()) +
                    " was found, but 9.8 or later is needed. Install a newer "
                    "one, or put its folder first in LD_LIBRARY_PATH; backend: gloo trains on the CPU.");
    }
}

}  // namespace rankscope::engine::cuda
