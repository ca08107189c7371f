// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/planned_step.h>
#include <engine/comm/nccl_process_group.h>
#include <engine/comm/process_group.h>
#include <engine/comm/store.h>

#include <cstddef>
#include <memory>
#include <string>

/// What librankscope-cuda.so offers. It is opened at run time, so that the worker starts on machines without
/// CUDA; hence C names. Library and worker come from one build: what lies behind the names is C++, and Error
/// may be thrown through it.
namespace rankscope::engine {
struct CudaFunctions {
    std::unique_ptr<Backend> (*make_backend)(int device);
    std::unique_ptr<ProcessGroup> (*make_group)(const NcclOptions& options, Store& store);
    cuda::StepFigures (*planned_step)(const Graph& graph, const cuda::PlanQuestion& question);
    std::string (*versions)();  ///< "cuDNN 9.19.0, cuBLASLt 13.0.1, NCCL 2.28.9": what is loaded
};
}  // namespace rankscope::engine

extern "C" {
/// Number of CUDA devices; 0 also when there is no driver (*why then says so, up to `size` bytes with the
/// zero).
int rankscope_cuda_device_count(char* why, std::size_t size);
/// {"index", "name", "memory_bytes", "compute", "uuid"} as JSON text; false when it does not fit or the
/// device is gone.
bool rankscope_cuda_device_json(int index, char* text, std::size_t size);
/// Null: the caller's version is another than the library's.
const rankscope::engine::CudaFunctions* rankscope_cuda_functions(const char* version);
}
