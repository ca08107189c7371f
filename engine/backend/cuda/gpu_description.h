// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::engine::cuda {

/// What cuDNN wants to know of a GPU that is not here.
struct GpuDescription {
    const char* name = "NVIDIA H200";
    int version = 900;  ///< compute capability times 100
    int processors = 132;
    int shared = 232448;  ///< bytes of shared memory that a block may request
    long l2_bytes = 62914560;
    long memory_bytes = 150000000000;
    int cluster_blocks = 16;  ///< blocks of a thread block cluster

    /// In the form in which cuDNN writes down the properties of a device (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
    std::string json() const;
};

}  // namespace rankscope::engine::cuda
