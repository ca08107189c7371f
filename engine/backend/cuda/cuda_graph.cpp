// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/cuda_check.h>

#include <memory>
#include <type_traits>

namespace rankscope::engine::cuda {

CudaGraph::CudaGraph(cudaStream_t stream, const std::function<void()>& enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t recorded = nullptr;
    try {
        enqueue();
    } catch (...) {
        // The stream must not stay in recording; what was recorded is thrown away.
        if (cudaStreamEndCapture(stream, &recorded) == cudaSuccess && recorded != nullptr) {
            cudaGraphDestroy(recorded);
        }
        cudaGetLastError();
        throw;
    }
    cuda_check(cudaStreamEndCapture(stream, &recorded), "cudaStreamEndCapture");
    const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, cudaError_t (*)(cudaGraph_t)> owner(
        recorded, cudaGraphDestroy);
    cuda_check(cudaGraphInstantiate(&executable_, recorded, cudaGraphInstantiateFlagUseNodePriority),
               "cudaGraphInstantiate");
}

CudaGraph::~CudaGraph() {
    if (executable_ != nullptr) {
        cudaGraphExecDestroy(executable_);
    }
}

void CudaGraph::launch(cudaStream_t stream) const {
    cuda_check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
}

}  // namespace rankscope::engine::cuda
