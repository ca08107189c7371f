// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_model.h>
#include <engine/backend/cuda/precision.h>
#include <engine/backend/cuda/recorded_step.h>
#include <engine/error.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>

#include <algorithm>

namespace rankscope::engine::cuda {

CudaModel::CudaModel(const Graph& graph, const CompileOptions& options, const CudaOptions& cuda_options)
    : gpu_(cuda_options.device),
      graph_(fuse(graph)),
      options_(options),
      cuda_options_(cuda_options),
      schedule_(options.recompute ? differentiate_with_recomputation(graph_) : differentiate(graph_)),
      type_(element_of(options.precision)),
      cache_(PlanCache::for_machine(gpu_.description() + ", " + cuda_backend_library())),
      convolutions_(cuda_options.device, policy(), cuda_options.tuning, cache_),
      products_(policy(), cuda_options.tuning != Tuning::none, cache_),
      memory_(gpu_, graph_, type_, options.allocate) {
    if (options.sum_across_ranks && !options.enqueue_sum) {
        throw ConfigError(
            "sync_bn on a GPU needs the backend nccl: the sums over the ranks are part of the recorded "
            "step");
    }
}

CudaExecutable& CudaModel::cuda_executable(std::int64_t batch) {
    const auto found = std::find_if(executables_.begin(), executables_.end(),
                                    [&](const auto& candidate) { return candidate->batch_size() == batch; });
    if (found != executables_.end()) {
        return **found;
    }
    executables_.push_back(std::make_unique<CudaExecutable>(
        graph_, schedule_, KernelLibraries{convolutions_, products_}, memory_,
        ExecutableOptions{batch, type_, options_.label_smoothing, std::min(options_.topk, graph_.classes),
                          options_.enqueue_sum, options_.announce, options_.while_waiting,
                          cuda_options_.graphs}));
    return *executables_.back();
}

std::size_t CudaModel::activation_bytes() const {
    std::size_t bytes = 0;
    for (const auto& executable : executables_) {
        bytes += executable->bytes();
    }
    return bytes;
}

std::unique_ptr<TrainingStep> CudaModel::training_step(const StepOptions& options,
                                                       const GradientExchange& exchange) {
    return std::make_unique<RecordedStep>(*this, options, exchange);
}

}  // namespace rankscope::engine::cuda
