// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace rankscope::engine::cuda {

/// Work recorded once and launched as a whole.
class CudaGraph {
public:
    /// Records what `enqueue` puts on the stream, and on streams that it joins to it and back. Other threads
    /// may use CUDA meanwhile (NCCL's do). What is recorded keeps its stream's priority. Throws what `enqueue` throws.
    CudaGraph(cudaStream_t stream, const std::function<void()>& enqueue);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void launch(cudaStream_t stream) const;

private:
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace rankscope::engine::cuda
