// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/error.h>

#include <cuda_runtime_api.h>

#include <string>

namespace rankscope::engine {

/// Throws Error saying what failed and why, in CUDA's words.
inline void cuda_check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        throw Error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(code));
    }
}

}  // namespace rankscope::engine
