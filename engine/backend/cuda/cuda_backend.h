// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/convolution.h>

#include <memory>
#include <string>

namespace rankscope::engine {

struct CudaOptions {
    int device = 0;
    cuda::Tuning tuning = cuda::Tuning::quick;
    /// Whole steps are recorded into a CUDA graph at their first use; false: enqueued again each time, for
    /// comparison and for debuggers. RANKSCOPE_CUDA_GRAPHS=0.
    bool graphs = true;
};

/// Device as given, the rest from the environment. Throws ConfigError for a word that has no meaning.
CudaOptions cuda_options_from_environment(int device);

/// The backend on one GPU: cuDNN, cuBLASLt, and own kernels for what is left. Throws Error when there is no
/// such device or a library is too old for it.
std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options);

/// "cuDNN 9.19.0, cuBLASLt 13.0.1, NCCL 2.28.9": what is loaded.
std::string cuda_backend_library();

}  // namespace rankscope::engine
