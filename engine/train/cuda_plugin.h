// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cuda_library.h>

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::engine {

/// librankscope-cuda.so beside the worker, opened at run time: without CUDA the worker must start.
struct CudaPlugin {
    const CudaFunctions* functions = nullptr;  ///< null: there is no such library, or not of this version
    std::string why;                           ///< what is wrong then
    int devices = 0;                           ///< GPUs that it sees
    std::string why_no_device;
    bool (*device_json)(int index, char* text, std::size_t size) = nullptr;
};

/// Opened at the first call and never closed.
const CudaPlugin& cuda_plugin();

/// The GPUs of this machine as the library sees them: {"devices": […], "why": "…"}; null without it.
nlohmann::json cuda_devices();

/// One of them, {"index", "name", "memory_bytes", "compute", "uuid"}; null when it is not there.
nlohmann::json cuda_device(int index);

}  // namespace rankscope::engine
